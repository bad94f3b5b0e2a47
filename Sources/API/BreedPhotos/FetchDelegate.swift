import Base
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Collects the bodies of a session's tasks, and cancels those that grow too large.
final class FetchDelegate: NSObject, URLSessionDataDelegate {
    private struct Exchange {
        let limit: Int
        let finish: @Sendable (Result<[UInt8], WebFetchError>) -> Void
        var bytes: [UInt8] = []
        var failure: WebFetchError?
    }

    private let exchanges = Locked<[Int: Exchange]>([:])

    /// Registers a task. Call it before the task is started.
    func expect(
        _ task: URLSessionTask, limit: Int, finish: @escaping @Sendable (Result<[UInt8], WebFetchError>) -> Void
    ) {
        exchanges.withLock { $0[task.taskIdentifier] = Exchange(limit: limit, finish: finish) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        let failure = exchanges.withLock { exchanges -> WebFetchError? in
            guard let exchange = exchanges[dataTask.taskIdentifier] else { return .unreachable }
            let failure: WebFetchError? =
                status != 200
                ? .status(status) : response.expectedContentLength > Int64(exchange.limit) ? .tooLarge : nil
            exchanges[dataTask.taskIdentifier]?.failure = failure
            return failure
        }
        completionHandler(failure == nil ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooMuch = exchanges.withLock { exchanges -> Bool in
            guard var exchange = exchanges.removeValue(forKey: dataTask.taskIdentifier) else { return true }
            exchange.bytes.append(contentsOf: data)
            if exchange.bytes.count > exchange.limit { exchange.failure = .tooLarge }
            defer { exchanges[dataTask.taskIdentifier] = exchange }
            return exchange.failure != nil
        }
        if isTooMuch { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        if let failure = exchange.failure {
            exchange.finish(.failure(failure))
        } else if let error {
            let isLate = (error as? URLError)?.code == .timedOut
            exchange.finish(.failure(isLate ? .timedOut : .unreachable))
        } else {
            exchange.finish(.success(exchange.bytes))
        }
    }
}
