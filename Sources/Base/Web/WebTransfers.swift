import CCurl
import Foundation

/// Runs the exchanges of one client on one thread, which lives while there are any. Connections are kept for the next
/// exchanges.
///
/// `@unchecked Sendable` holds because only the thread uses the libcurl handle, except to wake the thread.
final class WebTransfers: @unchecked Sendable {
    /// The longest time between two looks at the clock, in milliseconds.
    private static let pause: Int32 = 250

    private let connections: Int
    private let multi = curl_multi_init()
    private let state = Locked<(new: [WebTransfer], isRunning: Bool)>(([], false))

    /// - Parameter connections: the most exchanges at once with one server. Further ones wait.
    init(connections: Int) { self.connections = connections }

    deinit { curl_multi_cleanup(multi) }

    /// - Parameter end: is called once, unless the transfer was cancelled before its begin.
    /// - Returns: whether the transfer was begun.
    func begin(_ transfer: WebTransfer, end: @escaping WebTransfer.End) -> Bool {
        guard transfer.begin(end) else { return false }
        let isFirst = state.withLock { state in
            state.new.append(transfer)
            return !exchange(&state.isRunning, with: true)
        }
        if isFirst { Thread.detachNewThread { self.run() } } else { curl_multi_wakeup(multi) }
        return true
    }

    func cancel(_ transfer: WebTransfer) {
        transfer.end(.failure(.cancelled))
        curl_multi_wakeup(multi)
    }

    private func run() {
        var (waiting, active): ([WebTransfer], [WebTransfer]) = ([], [])
        while let new = next(isIdle: waiting.isEmpty && active.isEmpty) {
            waiting = (waiting + new).filter { !$0.isEnded }
            for transfer in waiting where active.count(where: { $0.server == transfer.server }) < connections {
                transfer.start()
                active.append(transfer)
                let code = curl_multi_add_handle(multi, transfer.handle)
                if code != CURLM_OK { transfer.end(.failure(.unreachable("libcurl's error \(code.rawValue)"))) }
            }
            waiting.removeAll { transfer in active.contains { $0 === transfer } }
            var (running, code): (Int32, CURLcode) = (0, CURLE_OK)
            curl_multi_perform(multi, &running)
            while let handle = menagerie_curl_ended(multi, &code) {
                active.first { $0.handle == handle }?.finish(code)
            }
            let now = ContinuousClock.now
            for transfer in active {
                transfer.check(at: now)
                if transfer.isEnded { curl_multi_remove_handle(multi, transfer.handle) }
            }
            active.removeAll(where: \.isEnded)
            if !active.isEmpty { curl_multi_poll(multi, nil, 0, Self.pause, nil) }
        }
    }

    /// The new transfers. Nil if the thread has nothing left to do, and ends.
    private func next(isIdle: Bool) -> [WebTransfer]? {
        state.withLock { state in
            if isIdle, state.new.isEmpty {
                state.isRunning = false
                return nil
            }
            return exchange(&state.new, with: [])
        }
    }
}
