import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Collects the bodies of a session's tasks, and cancels those that grow too large. Each exchange ends once.
final class WebExchanges: NSObject, URLSessionDataDelegate, Sendable {
    typealias Result = Swift.Result<WebClient.Answer, WebError>

    private struct Exchange {
        let limit: Int
        let needsBody: Bool
        let finish: @Sendable (Result) -> Void
        var status: Int?
        var retryAfter: Double?
        var body: [UInt8] = []

        var answer: WebClient.Answer? {
            status.map { WebClient.Answer(status: $0, body: body, retryAfter: retryAfter) }
        }

        func fail(_ error: WebError) {
            if !needsBody, error != .cancelled, let answer {
                finish(.success(answer))
            } else {
                finish(.failure(error))
            }
        }
    }

    private let open = Locked<[Int: Exchange]>([:])

    /// Registers a task. Call it before the task is started.
    func begin(
        _ task: URLSessionTask, limit: Int, needsBody: Bool, finish: @escaping @Sendable (Result) -> Void
    ) {
        open.withLock { $0[task.taskIdentifier] = Exchange(limit: limit, needsBody: needsBody, finish: finish) }
    }

    /// Ends an exchange unless it has ended.
    func fail(_ task: URLSessionTask, _ error: WebError) {
        open.withLock { $0.removeValue(forKey: task.taskIdentifier) }?.fail(error)
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
        let limit = open.withLock { open in
            let response = response as? HTTPURLResponse
            open[dataTask.taskIdentifier]?.status = response?.statusCode
            open[dataTask.taskIdentifier]?.retryAfter = response?.value(forHTTPHeaderField: "Retry-After")
                .flatMap { Double($0) }.flatMap { $0 >= 0 ? $0 : nil }
            return open[dataTask.taskIdentifier]?.limit
        }
        guard let limit, response.expectedContentLength <= Int64(limit) else {
            if let limit { fail(dataTask, .tooLarge(limit: limit)) }
            return completionHandler(.cancel)
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let exchange = open.withLock { open in
            open[dataTask.taskIdentifier]?.body.append(contentsOf: data)
            return open[dataTask.taskIdentifier].map { (limit: $0.limit, count: $0.body.count) }
        }
        guard let exchange, exchange.count > exchange.limit else { return }
        fail(dataTask, .tooLarge(limit: exchange.limit))
        dataTask.cancel()
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = open.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        if let error {
            let failure: WebError =
                switch (error as? URLError)?.code {
                case .timedOut: .timedOut
                case .cancelled: .cancelled
                default: .unreachable(error.localizedDescription)
                }
            exchange.fail(failure)
        } else if let answer = exchange.answer {
            exchange.finish(.success(answer))
        } else {
            exchange.finish(.failure(.unreachable("that was no HTTP")))
        }
    }
}
