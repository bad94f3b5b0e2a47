import Base
import Dispatch
import Foundation
import ModelImport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request for a file, or for the rest of it (RFC 9110 §14: `Range` with `If-Range`). It follows redirections.
final class DownloadSession: NSObject, URLSessionDataDelegate {
    /// The longest time without a byte before the connection counts as failed, in seconds.
    private static let patience = 60.0

    private struct State {
        var total: Int?
        var failure: ModelDownloadError?
    }

    private let url: URL
    private let part: PartialFile
    private let redirection: Redirection
    private let progress: ModelDownload.Progress
    private let state = Locked(State())
    private let done = DispatchSemaphore(value: 0)

    init(url: URL, part: PartialFile, redirection: Redirection, progress: @escaping ModelDownload.Progress) {
        self.url = url
        self.part = part
        self.redirection = redirection
        self.progress = progress
    }

    /// Blocks until the file is complete.
    func run() throws(ModelDownloadError) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = Self.patience
        configuration.urlCache = nil
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        var request = URLRequest(url: url)
        // With another coding, the ranges would be of other bytes.
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        if part.count > 0, let validator = part.validator {
            request.setValue("bytes=\(part.count)-", forHTTPHeaderField: "Range")
            request.setValue(validator, forHTTPHeaderField: "If-Range")
        }
        session.dataTask(with: request).resume()
        done.wait()
        part.close()
        let (total, failure) = state.withLock { ($0.total, $0.failure) }
        if let failure { throw failure }
        if let total, part.count != total {
            if part.count > total { part.discard() }
            throw .size(received: part.count, expected: total)
        }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        do {
            try begin(response)
            completionHandler(.allow)
        } catch {
            state.withLock { $0.failure = error }
            completionHandler(.cancel)
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        var next = request.url
        // Foundation rewrites other schemes to http, so the original field is checked.
        if let location = response.value(forHTTPHeaderField: "Location").flatMap({ URL(string: $0) }),
            location.scheme != nil
        {
            next = location
        }
        switch redirection.decide(next) {
        case .follow(let url, let host):
            var request = request
            request.url = url
            request.setValue(host, forHTTPHeaderField: "Host")
            completionHandler(request)
        case .refused(let reason):
            state.withLock { $0.failure = .redirection(next?.absoluteString ?? "", reason: reason) }
            completionHandler(nil)
        }
    }

    private func begin(_ response: URLResponse) throws(ModelDownloadError) {
        // This is a response with a refused redirection.
        if let failure = state.withLock({ $0.failure }) { throw failure }
        guard let response = response as? HTTPURLResponse else { throw .status(0) }
        let status = response.statusCode
        if status == 416 { part.discard() }
        guard status == 200 || status == 206 else { throw .status(status) }
        let start = status == 206 ? part.count : 0
        if status == 206 {
            let range = response.value(forHTTPHeaderField: "Content-Range") ?? ""
            guard range.hasPrefix("bytes \(start)-") else { throw .status(status) }
        }
        let length = Int(response.expectedContentLength)
        guard start + max(0, length) <= ModelBounds.fileBytes else { throw .tooLarge(limit: ModelBounds.fileBytes) }
        if length >= 0 { state.withLock { $0.total = start + length } }
        // A weak tag does not promise identical bytes.
        let tag = response.value(forHTTPHeaderField: "ETag").flatMap { $0.hasPrefix("W/") ? nil : $0 }
        do {
            try part.open(
                validator: tag ?? response.value(forHTTPHeaderField: "Last-Modified"), appending: status == 206)
        } catch {
            throw .disk("\(part.path): \(error.localizedDescription)")
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard part.count + data.count <= ModelBounds.fileBytes else {
            part.discard()
            state.withLock { $0.failure = .tooLarge(limit: ModelBounds.fileBytes) }
            dataTask.cancel()
            return
        }
        do {
            try part.append(data)
        } catch {
            state.withLock { $0.failure = .disk("\(part.path): \(error.localizedDescription)") }
            dataTask.cancel()
            return
        }
        progress(part.count, state.withLock { $0.total })
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let error {
            let received = part.count
            state.withLock { state in
                if state.failure == nil {
                    state.failure = .connection(error.localizedDescription, received: received)
                }
            }
        }
        done.signal()
    }
}
