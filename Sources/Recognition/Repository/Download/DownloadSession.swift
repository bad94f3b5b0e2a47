import Base
import Foundation
import ModelImport

/// One request for a file, or for the rest of it (RFC 9110 §14: `Range` with `If-Range`). It follows redirections.
final class DownloadSession: Sendable {
    /// The longest time without a byte before the connection counts as failed, in seconds.
    private static let patience = 60.0

    private struct State {
        var total: Int?
        var failure: ModelDownloadError?
        /// The target of a redirection.
        var next: WebRequest?
    }

    private let url: URL
    private let part: PartialFile
    private let redirection: Redirection
    private let progress: ModelDownload.Progress
    private let client = WebClient(idle: patience)
    private let state = Locked(State())

    init(url: URL, part: PartialFile, redirection: Redirection, progress: @escaping ModelDownload.Progress) {
        self.url = url
        self.part = part
        self.redirection = redirection
        self.progress = progress
    }

    /// Blocks until the file is complete.
    func run() throws(ModelDownloadError) {
        // With another coding, the ranges would be of other bytes.
        var request = WebRequest(url, fields: ["Accept-Encoding": "identity"])
        if part.count > 0, let validator = part.validator {
            request.fields["Range"] = "bytes=\(part.count)-"
            request.fields["If-Range"] = validator
        }
        while true {
            try receive(request)
            guard let next = state.withLock({ $0.next.take() }) else { break }
            request = next
        }
        if let total = state.withLock({ $0.total }), part.count != total {
            if part.count > total { part.discard() }
            throw .size(received: part.count, expected: total)
        }
    }

    private func receive(_ request: WebRequest) throws(ModelDownloadError) {
        defer { part.close() }
        do {
            try client.receive(request) { [self] head throws(WebError) in
                try fail { () throws(ModelDownloadError) in try begin(head, of: request) }
                if state.withLock({ $0.next != nil }) { throw .cancelled }
            } onBody: { [self] bytes throws(WebError) in
                try fail { () throws(ModelDownloadError) in try append(bytes) }
            }
        } catch {
            let received = part.count
            // A redirection ends with its head.
            if state.withLock({ $0.next != nil }) { return }
            throw state.withLock { $0.failure } ?? .connection(error.localizedDescription, received: received)
        }
    }

    /// Keeps the error of a step, which ends the exchange.
    private func fail(_ step: () throws(ModelDownloadError) -> Void) throws(WebError) {
        do { try step() } catch {
            state.withLock { $0.failure = error }
            throw .cancelled
        }
    }

    private func begin(_ head: WebHead, of request: WebRequest) throws(ModelDownloadError) {
        if 300..<400 ~= head.status, let location = head["location"] {
            let url = URL(string: location, relativeTo: request.url)?.absoluteURL
            switch redirection.decide(url) {
            case .follow(let url, let host):
                var next = WebRequest(url, fields: request.fields)
                next.fields["Host"] = host
                return state.withLock { $0.next = next }
            case .refused(let reason): throw .redirection(url?.absoluteString ?? location, reason: reason)
            }
        }
        if head.status == 416 { part.discard() }
        guard head.status == 200 || head.status == 206 else { throw .status(head.status) }
        let start = head.status == 206 ? part.count : 0
        if head.status == 206, head["content-range"]?.hasPrefix("bytes \(start)-") != true { throw .status(206) }
        let (end, isBeyond) = start.addingReportingOverflow(max(0, head.length ?? 0))
        guard !isBeyond, end <= ModelBounds.fileBytes else { throw .tooLarge(limit: ModelBounds.fileBytes) }
        if head.length != nil { state.withLock { $0.total = end } }
        // A weak tag does not promise identical bytes.
        let tag = head["etag"].flatMap { $0.hasPrefix("W/") ? nil : $0 }
        do {
            try part.open(validator: tag ?? head["last-modified"], appending: head.status == 206)
        } catch {
            throw .disk("\(part.path): \(error.localizedDescription)")
        }
    }

    private func append(_ bytes: UnsafeRawBufferPointer) throws(ModelDownloadError) {
        guard part.count + bytes.count <= ModelBounds.fileBytes else {
            part.discard()
            throw .tooLarge(limit: ModelBounds.fileBytes)
        }
        do {
            try part.append(Data(bytes))
        } catch {
            throw .disk("\(part.path): \(error.localizedDescription)")
        }
        progress(part.count, state.withLock { $0.total })
    }
}
