package import Base
package import Encyclopaedia
package import Foundation

/// The photos of dog.ceo, fetched on demand and kept for the next time.
///
/// Source: https://dog.ceo/dog-api/documentation/
package struct DogCEO: Sendable {
    private struct List: Decodable {
        let message: [String]
        let status: String
    }

    /// The longest list that is accepted, in bytes: a few hundred addresses.
    private static let listLimit = 1 << 20
    private static let photoLimit = 16 << 20
    /// The age in seconds up to which a list is current. An older one is still used offline.
    private static let listAge: TimeInterval = 7 * 86_400

    private let url: URL
    private let cache: FileCache
    private let client: WebClient

    /// - Parameters:
    ///   - url: `https://dog.ceo/api`, or a mirror of it.
    ///   - cacheDirectory: the folder for copies of its answers.
    ///   - cacheBytes: the largest sum of all copies, in bytes.
    ///   - timeout: the time for one whole answer, in seconds.
    package init(url: URL, cacheDirectory: String, cacheBytes: Int, timeout: Double) {
        self.url = url
        cache = FileCache(directory: cacheDirectory, capacity: cacheBytes)
        client = WebClient(idle: timeout, whole: timeout)
    }

    /// The file names of a breed's photos; empty for a breed that dog.ceo does not list.
    /// - Throws: ``WebError`` if neither the server nor a copy can be read.
    package func names(of article: Article) async throws(WebError) -> [String] {
        try await photos(of: article).map(\.lastPathComponent)
    }

    /// A photo by its name in the list. Unknown names give nil, so that no other address is ever requested.
    package func photo(_ name: String, of article: Article) async throws(WebError) -> [UInt8]? {
        guard let address = try await photos(of: article).first(where: { $0.lastPathComponent == name }) else {
            return nil
        }
        let file = "\(article.id)-\(name)"
        if let copy = await cache.read(file) { return copy.bytes }
        let bytes = try await client.get(address, limit: Self.photoLimit)
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]) || bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) else {
            throw .malformed
        }
        await cache.write(bytes, as: file)
        return bytes
    }

    private func photos(of article: Article) async throws(WebError) -> [URL] {
        guard let name = DogListName(label: article.id) else { return [] }
        let file = "\(article.id).json"
        let copy = await cache.read(file)
        if let copy, copy.age < Self.listAge, let photos = photos(in: copy.bytes) { return photos }
        let breed = name.subBreed.map { "\(name.breed)/\($0)" } ?? name.breed
        do throws(WebError) {
            let bytes = try await client.get(url.appendingPathComponent("breed/\(breed)/images"), limit: Self.listLimit)
            guard let photos = photos(in: bytes) else { throw WebError.malformed }
            await cache.write(bytes, as: file)
            return photos
        } catch {
            guard let copy, let photos = photos(in: copy.bytes) else { throw error }
            return photos
        }
    }

    /// The picture addresses on the same server in an answer; nil if the answer is not a list.
    private func photos(in bytes: [UInt8]) -> [URL]? {
        guard let list = try? JSONDecoder().decode(List.self, from: Data(bytes)), list.status == "success" else {
            return nil
        }
        return list.message.compactMap(URL.init(string:)).filter { isOurs($0) && Self.isPlain($0.lastPathComponent) }
    }

    private func isOurs(_ photo: URL) -> Bool {
        guard let host = url.host(), let other = photo.host() else { return false }
        return photo.scheme == url.scheme && photo.port == url.port && (other == host || other.hasSuffix("." + host))
    }

    private static func isPlain(_ name: String) -> Bool {
        let isPicture = [".jpg", ".jpeg", ".png"].contains { name.lowercased().hasSuffix($0) }
        return isPicture && name.utf8.count <= 100 && !name.hasPrefix(".")
            && name.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_.".utf8.contains($0) }
    }
}

/// Copies of another server's documents in a folder. The oldest make room for new ones.
private struct FileCache: Sendable {
    private let directory: URL
    private let capacity: Int
    private let pool = BlockingPool(label: "menagerie.file-cache", width: 1, maximumPending: 256)

    /// - Parameter capacity: the largest sum of all files, in bytes.
    init(directory: String, capacity: Int) {
        self.directory = URL(fileURLWithPath: directory, isDirectory: true)
        self.capacity = capacity
    }

    /// A copy and its age in seconds; nil if there is none.
    /// - Parameter name: a plain file name.
    func read(_ name: String) async -> (bytes: [UInt8], age: TimeInterval)? {
        let copy = await pool.runIfRoom { () -> (bytes: [UInt8], age: TimeInterval)? in
            let file = directory.appendingPathComponent(name)
            guard let data = try? Data(contentsOf: file) else { return nil }
            let changed = try? file.resourceValues(forKeys: [.contentModificationDateKey]).contentModificationDate
            return (Array(data), changed.map { -$0.timeIntervalSinceNow } ?? .infinity)
        }
        return copy ?? nil
    }

    /// Keeps a copy. If the disk is full or too many write at the same time, only the copy is lost.
    func write(_ bytes: [UInt8], as name: String) async {
        _ = await pool.runIfRoom {
            // Only the owner may read the folder, because it shows which breeds somebody viewed.
            let rights: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
            try? FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true, attributes: rights)
            try? FileManager.default.setAttributes(rights, ofItemAtPath: directory.path)
            try? Data(bytes).write(to: directory.appendingPathComponent(name), options: .atomic)
            FileSystem.removeOldest(in: directory.path, beyond: capacity)
        }
    }
}
