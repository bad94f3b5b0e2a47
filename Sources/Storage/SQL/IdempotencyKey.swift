package import Base

/// A client's name for its request, with the digest of that request. A repeated request gets the scan that was saved
/// the first time.
package struct IdempotencyKey: Sendable {
    /// The name under which the scan is saved.
    package let name: String
    /// The name as the client gave it.
    private let given: String
    /// The digest of the request's photos and options.
    package let request: ContentDigest

    package init(_ given: String, request: ContentDigest) {
        self.init(name: given, given: given, request: request)
    }

    private init(name: String, given: String, request: ContentDigest) {
        (self.name, self.given, self.request) = (name, given, request)
    }

    /// The key of one photo in a request with several.
    package func of(photo index: Int) -> IdempotencyKey {
        // The result is no longer than a name may be.
        let base = name.utf8.count <= 240 ? name : ContentDigest(of: Array(name.utf8)).hexadecimal
        return IdempotencyKey(name: "\(base)#\(index)", given: given, request: request)
    }

    /// The scan that this request made before; nil if there is none.
    ///
    /// - Throws: `idempotencyKeyReused` if another request made it.
    package func earlierScan(in scans: HistoryRepository, of photo: [UInt8]) async throws(HistoryError) -> Scan? {
        guard let earlier = try await scans.scan(idempotencyKey: name) else { return nil }
        guard earlier.answers(request, photo: ContentDigest(of: photo)) else { throw .idempotencyKeyReused(given) }
        return earlier
    }
}
