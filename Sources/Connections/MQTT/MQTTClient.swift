package import Base
import CSystemCalls
import Foundation
import Glibc
package import Logging

/// Speaks MQTT with one broker for as long as the service runs: connects, connects again when the broker was away, and
/// keeps what has to arrive until it has.
///
/// One thread does all the talking; everybody else leaves messages here, and never waits for the broker.
package final class MQTTClient: Sendable {
    /// What a subscriber does with a message. Called on the thread that talks, which it must not hold up.
    package typealias Handler = @Sendable (MQTTMessage) -> Void

    /// How it stands with the broker.
    package enum Status: Sendable, Equatable {
        case starting
        case connected
        case away(reason: String)
    }

    struct State {
        var status = Status.starting
        /// Topics whose newest value the broker is told on each connection, in the order of their first one.
        var kept: [String: MQTTMessage] = [:]
        var order: [String] = []
        /// Those that the broker of this connection has not been told.
        var news: [String] = []
        /// Sent once, and lost where nobody is connected.
        var passing: [MQTTMessage] = []
        var subscriptions: [(filter: String, handler: Handler)] = []
        var whenConnected: [@Sendable () -> Void] = []
        var isStopping = false
        var isRunning = false
        var counts = Counts()
    }

    /// For the metrics.
    package struct Counts: Sendable, Equatable {
        package var sent = 0
        package var delivered = 0
        package var received = 0
        package var connections = 0
        package var failures = 0
        package var lost = 0
    }

    /// Messages that are lost when the broker is away may wait for the thread, at most so many.
    private static let passingLimit = 256

    let options: MQTTOptions
    let outbox: Outbox
    let logger: Logger
    let state = Locked(State())
    /// Readable when there is something to do.
    let wake: Int32

    /// - Parameter outbox: keeps what has to arrive.
    package init(_ options: MQTTOptions, outbox: Outbox, logger: Logger) {
        self.options = options
        self.outbox = outbox
        self.logger = logger
        wake = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    }

    deinit { close(wake) }

    package var status: Status { state.withLock { $0.status } }
    package var counts: Counts { state.withLock { $0.counts } }
    /// Messages that wait for the broker.
    package var waiting: Int { outbox.count }

    /// Has messages of these topics handed over, on this connection and every later one. Before ``start()``.
    package func subscribe(_ filter: String, _ handler: @escaping Handler) {
        state.withLock { $0.subscriptions.append((filter, handler)) }
    }

    /// Calls this on each new connection, on the thread that talks.
    package func whenConnected(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.whenConnected.append(body) }
    }

    /// The value of a topic from now on: told at once, and again to a broker that was away. An empty one is told once and
    /// then forgotten.
    package func keep(_ message: MQTTMessage) {
        state.withLock { state in
            if state.kept.updateValue(message, forKey: message.topic) == nil { state.order.append(message.topic) }
            if !state.news.contains(message.topic) { state.news.append(message.topic) }
        }
        signal()
    }

    /// Tells all values of ``keep(_:)`` again, for somebody who has just come.
    package func repeatAll() {
        state.withLock { $0.news = $0.order }
        signal()
    }

    /// Sends a message now; lost where nobody is connected.
    package func pass(_ message: MQTTMessage) {
        state.withLock { state in
            guard state.status == .connected, state.passing.count < Self.passingLimit else {
                state.counts.lost += 1
                return
            }
            state.passing.append(message)
        }
        signal()
    }

    /// Sends a message until the broker has it, over restarts of either side. Blocks until it is on the disk.
    ///
    /// - Throws: `FileError` where it cannot be kept; it is then sent once, as ``pass(_:)`` does.
    package func post(_ message: MQTTMessage) throws(FileError) {
        do throws(FileError) {
            try outbox.add(message.stored)
        } catch {
            pass(message)
            throw error
        }
        signal()
    }

    /// Begins to talk.
    package func start() {
        let isFirst = state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isFirst else { return }
        let thread = Thread { [self] in run() }
        thread.name = "menagerie.mqtt"
        thread.start()
    }

    /// Says goodbye, and waits for that a short while.
    package func stop() async {
        state.withLock { $0.isStopping = true }
        signal()
        for _ in 0..<200 where state.withLock({ $0.isRunning }) { try? await Task.sleep(for: .milliseconds(10)) }
    }

    private func signal() {
        var one: UInt64 = 1
        _ = write(wake, &one, 8)
    }
}
