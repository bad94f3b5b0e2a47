import Foundation
import Testing
@testable import HTTP

@Suite("Static files")
struct StaticFilesTests {
    /// A folder with files, and a secret beside it.
    final class Folder: Sendable {
        let parent: URL
        let root: URL

        init() throws {
            parent = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            root = parent.appendingPathComponent("root")
            try FileManager.default.createDirectory(
                at: root.appendingPathComponent("docs"), withIntermediateDirectories: true)
            try write("<p>home", "index.html")
            try write("<p>docs", "docs/index.html")
            try write("secret", "../secret.txt")
            try write("hidden", ".env")
        }

        deinit { try? FileManager.default.removeItem(at: parent) }

        func write(_ text: String, _ path: String) throws {
            try Data(text.utf8).write(to: root.appendingPathComponent(path))
        }

        func link(_ path: String, to target: String) throws {
            try FileManager.default.createSymbolicLink(
                atPath: root.appendingPathComponent(path).path, withDestinationPath: target)
        }
    }

    let folder: Folder
    let files: StaticFiles

    init() throws {
        folder = try Folder()
        files = try StaticFiles(path: folder.root.path, settlingTime: 0)
    }

    func get(_ path: String, _ headers: HeaderFields = [:], files: StaticFiles? = nil) -> Response {
        (files ?? self.files).response(to: Request(target: "/" + path, headers: headers), path: path)
    }

    func text(_ response: Response) async throws -> String {
        String(decoding: try await RepresentationTests.bytes(response), as: UTF8.self)
    }

    @Test("serves files and the index of a folder")
    func serving() async throws {
        for path in ["", "index.html"] {
            let response = get(path)
            #expect(response.status == .ok)
            #expect(response.headers["Content-Type"] == "text/html; charset=utf-8")
            #expect(response.headers["Cache-Control"] == "no-cache")
            #expect(response.headers["Last-Modified"].flatMap { HTTPDate($0) } != nil)
            #expect(try await text(response) == "<p>home")
        }
        #expect(try await text(get("docs/")) == "<p>docs")
        #expect(try await text(get("docs/index.html")) == "<p>docs")
    }

    @Test("names no modification in the future")
    func future() throws {
        let path = folder.root.appendingPathComponent("index.html").path
        try FileManager.default.setAttributes([.modificationDate: Date.now + 1_000_000], ofItemAtPath: path)
        let modified = try #require(get("").headers["Last-Modified"].flatMap { HTTPDate($0) })
        #expect(modified <= .now)
    }

    @Test("leads from a folder to its name with a slash, whatever it is called")
    func redirect() throws {
        try FileManager.default.createDirectory(
            at: folder.root.appendingPathComponent("a:b c"), withIntermediateDirectories: true)
        #expect(get("docs").status == .permanentRedirect)
        #expect(get("docs").headers["Location"] == "./docs/")
        #expect(get("docs?x=1").status == .notFound)
        #expect(get("a:b c").headers["Location"] == "./a%3Ab%20c/")
    }

    @Test(
        "does not let anybody out of the folder or at hidden files",
        arguments: [
            "../secret.txt", "docs/../../secret.txt", "docs/..", "..", ".", "./index.html", "/etc/passwd",
            "//etc/passwd",
            "..%2Fsecret.txt", "..%2fsecret.txt", "%2e%2e/secret.txt", "docs//index.html", ".env", "docs/.git/config",
            "index.html\0", "index.html\0.png", "\0", "index.html/", "missing", "docs/missing/deep", "..\\secret.txt",
            "docs/\u{301}../../secret.txt",
        ])
    func escape(path: String) {
        #expect(get(path).status == .notFound)
    }

    @Test("follows no symbolic link, at the end or on the way, nor one that appears later")
    func links() async throws {
        try folder.link("link.txt", to: "../secret.txt")
        try folder.link("inside.txt", to: "index.html")
        try folder.link("up", to: "..")
        #expect(get("link.txt").status == .notFound)
        #expect(get("inside.txt").status == .notFound)
        #expect(get("up/secret.txt").status == .notFound)
        #expect(get("docs/index.html").status == .ok)
        try FileManager.default.removeItem(at: folder.root.appendingPathComponent("docs/index.html"))
        try folder.link("docs/index.html", to: "../../secret.txt")
        #expect(get("docs/index.html").status == .notFound)
    }

    @Test("does not wait for a FIFO")
    func fifo() {
        #expect(mkfifo(folder.root.appendingPathComponent("pipe").path, 0o600) == 0)
        #expect(get("pipe").status == .notFound)
    }

    @Test("sees at once that a file was replaced, rewritten or removed")
    func revalidation() async throws {
        let first = get("index.html")
        #expect(get("index.html", ["If-None-Match": first.headers["ETag"] ?? ""]).status == .notModified)
        try folder.write("<p>welcome", "index.html")
        let second = get("index.html", ["If-None-Match": first.headers["ETag"] ?? ""])
        #expect(second.status == .ok)
        #expect(second.headers["ETag"] != first.headers["ETag"])
        #expect(try await text(second) == "<p>welcome")
        try FileManager.default.removeItem(at: folder.root.appendingPathComponent("index.html"))
        #expect(get("index.html").status == .notFound)
    }

    @Test("distinguishes two contents of the same size and time")
    func sameMoment() async throws {
        let careful = try StaticFiles(path: folder.root.path)
        var tags: Set<String> = []
        for letter in "abcdefghij" {
            try folder.write(String(letter), "letter.txt")
            let response = get("letter.txt", files: careful)
            #expect(try await text(response) == String(letter))
            tags.insert(response.headers["ETag"] ?? "")
        }
        #expect(tags.count == 10)
    }

    @Test("answers ranges from memory and from the file alike")
    func ranges() async throws {
        let uncached = try StaticFiles(path: folder.root.path, cachedFileBytes: 0, settlingTime: 0)
        for files in [files, uncached] {
            let response = get("index.html", ["Range": "bytes=3-"], files: files)
            #expect(response.status == .partialContent)
            #expect(try await text(response) == "home")
        }
        guard case .file(let region) = get("index.html", files: uncached).body else {
            Issue.record("a file above the cap is not read")
            return
        }
        #expect(region.length == 7)
    }

    @Test("offers gzip of compressible files under another strong tag")
    func gzip() async throws {
        let content = String(repeating: "miau ", count: 1000)
        try folder.write(content, "cat.txt")
        try folder.write(content, "cat.jpg")
        let plain = get("cat.txt")
        let packed = get("cat.txt", ["Accept-Encoding": "gzip"])
        #expect(plain.headers["Content-Encoding"] == nil)
        #expect(packed.headers["Content-Encoding"] == "gzip")
        #expect(plain.headers["Vary"] == "Accept-Encoding" && packed.headers["Vary"] == "Accept-Encoding")
        #expect(plain.headers["ETag"] != packed.headers["ETag"])
        let bytes = try await RepresentationTests.bytes(packed)
        #expect(bytes.count < 500)
        #expect(try GzipTests.expand(bytes) == Array(content.utf8))
        let tag = packed.headers["ETag"] ?? ""
        #expect(get("cat.txt", ["Accept-Encoding": "gzip", "If-None-Match": tag]).status == .notModified)
        #expect(get("cat.txt", ["If-None-Match": tag]).status == .ok)
        #expect(get("cat.jpg", ["Accept-Encoding": "gzip"]).headers["Content-Encoding"] == nil)
        #expect(get("cat.jpg").headers["Vary"] == nil)
        let range = get("cat.txt", ["Accept-Encoding": "gzip", "Range": "bytes=0-3"])
        #expect(range.status == .partialContent && range.headers["Content-Encoding"] == nil)
        #expect(try await text(range) == "miau")
    }

    @Test(
        "names the media type by the extension",
        arguments: [
            ("a.html", "text/html; charset=utf-8"), ("a.JS", "text/javascript; charset=utf-8"),
            ("a.b.svg", "image/svg+xml"),
            ("photo.jpeg", "image/jpeg"), ("data", "application/octet-stream"),
            ("x.unknown", "application/octet-stream"),
            ("app.webmanifest", "application/manifest+json"), (".", "application/octet-stream"),
        ])
    func mediaTypes(name: String, type: String) {
        #expect(MediaType(fileName: name).description == type)
    }

    @Test("says that the folder is missing")
    func noFolder() {
        #expect(throws: SystemCallError(call: "open", code: ENOENT)) {
            try StaticFiles(path: folder.root.appendingPathComponent("none").path)
        }
        #expect(throws: SystemCallError(call: "open", code: ENOTDIR)) {
            try StaticFiles(path: folder.root.appendingPathComponent("index.html").path)
        }
    }

    @Test("keeps the files in memory within the bound, and the recently used among them")
    func cacheBound() {
        let cache = StaticFileCache(capacity: 30)
        func file(_ count: Int) -> CachedFile {
            CachedFile(
                identity: FileIdentity(stat()),
                plain: Representation(.bytes([UInt8](repeating: 0, count: count)), type: .text), gzip: nil)
        }
        cache.insert(file(10), for: "a")
        cache.insert(file(10), for: "b")
        cache.insert(file(10), for: "c")
        #expect(cache["a"] != nil)
        cache.insert(file(10), for: "d")
        #expect(cache["b"] == nil)
        #expect(cache["a"] != nil && cache["c"] != nil && cache["d"] != nil)
        cache.insert(file(20), for: "a")
        #expect(cache.bytes <= 30 && cache["a"] != nil)
        cache.insert(file(31), for: "e")
        #expect(cache["e"] == nil && cache["a"] != nil)
        cache.remove("a")
        #expect(cache["a"] == nil && cache.bytes <= 10)
    }
}
