import Base
import Foundation
import TestSupport
import Testing
@testable import Recognition

/// `menagerie models pull` from hostile servers.
@Suite("Pulling from strangers", .timeLimit(.minutes(5))) struct PullAttackTests {
    private struct Place {
        let folder: TemporaryFolder
        let models: String
        let server: FileServer

        init() throws {
            folder = try TemporaryFolder()
            models = folder.path + "/deep/down/models"
            try FileManager.default.createDirectory(atPath: models, withIntermediateDirectories: true)
            server = try FileServer(
                FileServer.Behaviour(file: [UInt8](Data(contentsOf: ModelDownloadTests.weights))))
        }

        var sum: String {
            get throws {
                let manifest = LiveService.package.appending(path: "Models/menagerie/manifest.json")
                let json = try JSONSerialization.jsonObject(with: Data(contentsOf: manifest)) as? [String: Any]
                return try #require(json?["sha256"] as? String)
            }
        }

        func pull(_ path: String, sha256: String? = nil, _ flags: [String] = []) async throws -> Program.Result {
            try await Program.menagerie.run(
                [
                    "models", "pull", "http://127.0.0.1:\(server.port)/\(path)", "--sha256", try sha256 ?? sum,
                    "--set", "recognition.models_directory=\(models)", "--data-dir", folder.path + "/data",
                ] + flags)
        }

        /// The paths of all files in the folder.
        var files: [String] {
            get throws {
                try FileManager.default.subpathsOfDirectory(atPath: folder.path)
                    .filter { !$0.hasPrefix("data") && $0.contains(".") }.sorted()
            }
        }
    }

    @Test(arguments: [
        "x/..%2f..%2f..%2fowned.onnx", "..%2F..%2Fowned.onnx", "%2e%2e%2fowned.onnx", "a%5C..%5Cowned.onnx",
        "%2fetc%2fowned.onnx", ".hidden.onnx", "a%00b.onnx", "a%0ab.onnx",
    ]) func aNameThatIsAPathIsRefused(path: String) async throws {
        let place = try Place()
        defer { place.server.stop() }
        for sum in [try place.sum, String(repeating: "0", count: 64)] {
            let result = try await place.pull(path, sha256: sum)
            #expect(result.status != 0 && result.errors.contains("plain file name"), "\(result.output)\(result.errors)")
        }
        #expect(try place.files == [])
        #expect(place.server.seen.isEmpty)
    }

    @Test func otherCharactersOfANameAreReplaced() async throws {
        let place = try Place()
        defer { place.server.stop() }
        let result = try await place.pull("my%20n%C3%A9t.onnx", ["--name", "mine"])
        #expect(result.status == 0, "\(result.errors)")
        #expect(try place.files.contains("deep/down/models/mine/1/my_n_t.onnx"))
    }

    @Test func aServerSendsUsNowhere() async throws {
        let place = try Place()
        defer { place.server.stop() }
        let other = try FileServer(FileServer.Behaviour(file: [UInt8](Data(contentsOf: ModelDownloadTests.weights))))
        defer { other.stop() }
        for (location, reason) in [
            ("file:///etc/hostname", "only http and https"), ("ftp://127.0.0.1/net.onnx", "only http and https"),
            ("http://127.0.0.1:\(other.port)/net.onnx", "private network"),
            ("http://localhost:\(other.port)/net.onnx", "private network"),
            ("http://[::ffff:127.0.0.1]:\(other.port)/net.onnx", "private network"),
            ("http://2130706433:\(other.port)/net.onnx", "private network"),
            ("http://169.254.169.254/latest/net.onnx", "private network"),
        ] {
            place.server.change { $0.location = location }
            let result = try await place.pull("net.onnx")
            #expect(result.status != 0 && result.errors.contains(reason), "\(location): \(result.errors)")
        }
        #expect(other.seen.isEmpty)
        #expect(try place.files.filter { $0.hasSuffix(".onnx") } == [])
        // The redirect leads back to the same address.
        place.server.change { $0.location = "http://127.0.0.1:\(place.server.port)/net.onnx" }
        #expect(try await place.pull("net.onnx").errors.contains("more than the 5 times"))
        // The operator can allow a redirect to a mirror in the local network.
        place.server.change { $0.location = "http://127.0.0.1:\(other.port)/net.onnx" }
        let followed = try await place.pull("net.onnx", ["--allow-private"])
        #expect(followed.status == 0 && other.seen.count == 1, "\(followed.errors)")
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("10.1.2.3", true), ("172.16.0.1", true), ("172.32.0.1", false), ("192.168.1.1", true),
        ("169.254.169.254", true), ("100.64.0.1", true), ("0.0.0.0", true), ("224.0.0.1", true), ("8.8.8.8", false),
        ("::", true), ("::1", true), ("fd00::1", true), ("fe80::1", true), ("ff02::1", true),
        ("2606:4700::1111", false),
        ("::ffff:10.0.0.1", true), ("64:ff9b::a00:1", true), ("64:ff9b::808:808", false),
        ("64:ff9b:1::808:808", true), ("2002:a00:1::", true),
    ]) func addressesThatAreNotPublic(text: String, isPrivate: Bool) throws {
        let origin = try #require(URL(string: "http://example.com/net.onnx"))
        let host = text.contains(":") ? "[\(text)]" : text
        let url = try #require(URL(string: "http://\(host)/a.onnx"))
        let decision = Redirection(from: origin, allowsPrivate: false).decide(url)
        if case .refused = decision { #expect(isPrivate) } else { #expect(!isPrivate, "\(decision)") }
    }

    /// A name may resolve to a public address during the check and to a private one during the connection.
    @Test(arguments: [
        ("http://rebind.example/a.onnx?b=c", "93.184.216.34", "http://93.184.216.34/a.onnx?b=c", "rebind.example"),
        ("http://rebind.example:81/a.onnx", "93.184.216.34", "http://93.184.216.34:81/a.onnx", "rebind.example:81"),
        (
            "http://rebind.example/a.onnx", "2606:4700::1111", "http://[2606:4700::1111]/a.onnx",
            "rebind.example"
        ),
        // The certificate must match the name.
        ("https://rebind.example/a.onnx", "93.184.216.34", "https://rebind.example/a.onnx", nil),
    ]) func aNameIsLookedUpOnce(location: String, address: String, asked: String, host: String?) throws {
        let origin = try #require(URL(string: "http://example.com/net.onnx"))
        let names = Locked<[String]>([])
        let redirection = Redirection(
            from: origin, allowsPrivate: false,
            lookUp: { name in
                names.withLock { $0.append(name) }
                return NetworkAddress.all(of: address)
            })
        #expect(
            redirection.decide(URL(string: location)) == .follow(try #require(URL(string: asked)), host: host))
        #expect(names.withLock { $0 } == ["rebind.example"])
    }

    /// A redirected request carries the name, but connects to the address that was checked.
    @Test func whatWasCheckedIsConnectedTo() async throws {
        let place = try Place()
        defer { place.server.stop() }
        let url = try #require(URL(string: "http://127.0.0.1:\(place.server.port)/net.onnx"))
        place.server.change { $0.location = "http://rebind.example:\(place.server.port)/net.onnx" }
        let server = place.server
        let redirection = Redirection(
            from: url, allowsPrivate: false,
            lookUp: { _ in
                server.change { $0.location = nil }
                return NetworkAddress.all(of: "127.0.0.1")
            },
            // Treats this machine's address as public.
            isPrivate: { _ in false })
        let part = PartialFile(path: place.folder.path + "/net.part", address: url.absoluteString)
        try DownloadSession(url: url, part: part, redirection: redirection, progress: { _, _ in }).run()
        #expect(
            place.server.hosts == ["127.0.0.1:\(place.server.port)", "rebind.example:\(place.server.port)"])
    }

    @Test func whatWasEncryptedStaysSo() throws {
        let origin = try #require(URL(string: "https://example.com/net.onnx"))
        let redirection = Redirection(from: origin, allowsPrivate: true)
        #expect(
            redirection.decide(URL(string: "http://example.com/net.onnx"))
                == .refused("that is not encrypted, as the first was"))
        let other = try #require(URL(string: "https://example.com/other.onnx"))
        #expect(redirection.decide(other) == .follow(other, host: nil))
    }
}
