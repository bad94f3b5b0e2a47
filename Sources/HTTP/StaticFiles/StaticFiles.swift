import Base
import Glibc

/// Serves the files of a folder to GET and HEAD, with conditions, ranges and gzip.
///
/// Small files are read whole once and kept as long as stat says that they are the same. The connection sends larger
/// ones in pieces. Nothing outside the folder, no hidden file and no symbolic link is served.
package struct StaticFiles: Sendable {
    /// The bytes of all files in memory, with their gzip forms.
    private static let cacheBytes = 32 << 20

    private let root: RootDirectory
    /// The value of Cache-Control.
    private let cacheControl: String
    /// The largest file that is kept in memory, in bytes.
    private let cachedFileBytes: Int
    private let cache = StaticFileCache(capacity: cacheBytes)
    /// The age in nanoseconds below which a changed file is not kept. A further change within one tick of the file
    /// system's clock would not show.
    private let settlingTime: Int

    package init(
        path: String, cacheControl: String = "no-cache", cachedFileBytes: Int = 512 * 1024,
        settlingTime: Int = 100_000_000
    ) throws(SystemCallError) {
        root = try RootDirectory(path: path)
        self.cacheControl = cacheControl
        self.cachedFileBytes = cachedFileBytes
        self.settlingTime = settlingTime
    }

    /// It may run on a loop, because opening a local file and reading a small one does not block noticeably.
    ///
    /// - Parameter path: decoded and relative to the folder, without a slash at its start. "" and "docs/" mean the
    ///   `index.html` there.
    package func response(to request: Request, path: String) -> Response {
        guard let segments = RootDirectory.segments(of: path) else { return Self.notFound }
        let key = segments.joined(separator: "/")
        if let cached = cache[key] {
            if root.identity(segments) == cached.identity { return respond(request, cached) }
            cache.remove(key)
        }
        do throws(RootDirectory.Failure) {
            let (file, identity) = try root.open(segments)
            let type = MediaType(fileName: segments.last ?? "")
            if identity.size <= cachedFileBytes, let cached = read(file, identity, type) {
                if identity.age >= settlingTime { cache.insert(cached, for: key) }
                return respond(request, cached)
            }
            let region = FileRegion(file: file, offset: 0, length: identity.size)
            return representation(.file(region), identity.entityTag(), identity, type).response(to: request)
        } catch {
            return answer(error, segments, request)
        }
    }

    private func answer(_ failure: RootDirectory.Failure, _ segments: [String], _ request: Request) -> Response {
        switch failure {
        case .notFound:
            return Self.notFound
        case .directory:
            // A relative location holds wherever the folder is mounted. After "./" a colon makes no scheme.
            let query = request.target.firstIndex(of: "?").map { request.target[$0...] } ?? ""
            let location = "./" + PercentCoding.encode(segments.last ?? "") + "/" + query
            return Response(status: .permanentRedirect, headers: ["Location": location])
        case .system(let error) where error.code == EMFILE || error.code == ENFILE || error.code == ENOMEM:
            return .problem(ProblemDetails(.serviceUnavailable, headers: ["Retry-After": "1"]))
        case .system:
            return .problem(ProblemDetails(.internalServerError))
        }
    }

    private static var notFound: Response {
        .problem(ProblemDetails(.notFound, detail: "There is no such file."))
    }

    private func respond(_ request: Request, _ file: CachedFile) -> Response {
        // Ranges always address the plain content, so that positions mean the same to every client.
        if let gzip = file.gzip, !request.headers.contains("Range"),
            AcceptEncoding.coding(for: request.headers) == .gzip
        {
            return gzip.response(to: request)
        }
        return file.plain.response(to: request)
    }

    /// Reads the whole file; nil if its size has changed.
    private func read(_ file: OpenFile, _ identity: FileIdentity, _ type: MediaType) -> CachedFile? {
        guard let bytes = try? FileSystem.bytes(of: file.descriptor, at: 0, count: identity.size, "") else {
            return nil
        }
        var status = stat()
        guard bytes.count == identity.size, fstat(file.descriptor, &status) == 0, FileIdentity(status) == identity
        else {
            return nil
        }
        // The checksum gives two states within one tick of the clock two tags.
        let tag = identity.entityTag(suffix: "-" + String(CRC32.checksum(bytes), radix: 36))
        return CachedFile(
            identity: identity, plain: representation(.bytes(bytes), tag, identity, type),
            gzip: gzip(bytes, tag, identity, type))
    }

    /// The gzip form, or nil if it saves too little.
    private func gzip(
        _ bytes: [UInt8], _ tag: EntityTag, _ identity: FileIdentity, _ type: MediaType
    ) -> Representation? {
        guard bytes.count >= Gzip.minimumBytes, Gzip.isCompressible(type),
            let compressed = try? Gzip.compress(bytes), compressed.count < bytes.count
        else { return nil }
        // The encoded form needs a tag of its own (RFC 9110 §8.8.3.3).
        return representation(
            .bytes(compressed), EntityTag(tag.opaque + "-gzip"), identity, type, encoding: "gzip")
    }

    private func representation(
        _ content: Representation.Content, _ tag: EntityTag, _ identity: FileIdentity, _ type: MediaType,
        encoding: String? = nil
    ) -> Representation {
        var headers: HeaderFields = ["Cache-Control": cacheControl]
        if Gzip.isCompressible(type) { headers.append("Accept-Encoding", for: "Vary") }
        if let encoding { headers.append(encoding, for: "Content-Encoding") }
        return Representation(
            content, type: type,
            validators: Validators(entityTag: tag, lastModified: identity.lastModified),
            headers: headers)
    }
}
