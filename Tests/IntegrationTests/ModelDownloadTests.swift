import Base
import Foundation
import Recognition
import TestSupport
import Testing

@Suite("Pulling models", .timeLimit(.minutes(5))) struct ModelDownloadTests {
    /// The repository's own weights, a real network.
    static let weights = LiveService.package.appending(path: "Models/menagerie/menagerie.onnx")

    struct Place {
        let folder: TemporaryFolder
        let server: FileServer
        let sum: String

        init() throws {
            folder = try TemporaryFolder()
            server = try FileServer(FileServer.Behaviour(file: [UInt8](Data(contentsOf: ModelDownloadTests.weights))))
            let manifest = LiveService.package.appending(path: "Models/menagerie/manifest.json")
            let json = try #require(
                try JSONSerialization.jsonObject(with: Data(contentsOf: manifest)) as? [String: Any])
            sum = try #require(json["sha256"] as? String)
        }

        func download(sha256: String?, version: String = "1") throws -> ModelDownload {
            try ModelDownload(
                address: "http://127.0.0.1:\(server.port)/files/net.onnx?download=true", version: version,
                sha256: sha256, into: folder.path)
        }

        var isEmpty: Bool { ModelStore(root: folder.path).names.isEmpty }
    }

    @Test func aModelIsPutInPlaceAndServed() async throws {
        let place = try Place()
        defer { place.server.stop() }
        let recorder = Recorder()
        let download = try place.download(sha256: place.sum.uppercased())
        let result = try await onThread { try download.run { recorder.add($0, $1) } }
        #expect(result.folder == place.folder.path + "/net/1" && result.manifest.sha256 == place.sum)
        #expect(recorder.steps.last?.received == result.bytes && recorder.steps.last?.total == result.bytes)
        #expect(recorder.steps.map(\.received) == recorder.steps.map(\.received).sorted())
        #expect(place.server.seen == [FileServer.Seen(range: nil, condition: nil)])
        let left = try FileManager.default.subpathsOfDirectory(atPath: place.folder.path).sorted()
        #expect(left == [".pull", "net", "net/1", "net/1/manifest.json", "net/1/net.onnx"])
        let path = place.folder.path
        try await onThread {
            let repository = ModelRepository(root: path, engineOptions: EngineOptions(precision: .f32, lanes: 1))
            let loaded = try repository.load("net")
            #expect(loaded.manifest.sha256 == result.manifest.sha256)
            repository.stop()
        }
        let again = try place.download(sha256: place.sum)
        await #expect(throws: ModelDownloadError.exists(result.folder)) { try await onThread { try again.run() } }
        let another = try place.download(sha256: place.sum, version: "2")
        #expect(try await onThread { try another.run() }.folder.hasSuffix("/net/2"))
    }

    @Test func aListOfLabelsComesWithTheModel() async throws {
        let birds = ["Bubo scandiacus (Snowy Owl)"] + (1..<20).map { "Bird \($0)" } + ["background"]
        let list = [UInt8](birds.joined(separator: "\n").utf8)
        let model = LiveService.package.appending(path: "Models/menagerie/cats.onnx")
        let servers = try [[UInt8](Data(contentsOf: model)), list].map { try FileServer(.init(file: $0)) }
        defer { for server in servers { server.stop() } }
        let folder = try TemporaryFolder()
        func download(sumOfLabels: String) throws -> ModelDownload {
            let labels = try JSONDecoder().decode(
                PublicModels.LabelList.self,
                from: Data(#"{"url":"http://127.0.0.1:\#(servers[1].port)/list","sha256":"\#(sumOfLabels)"}"#.utf8))
            return try ModelDownload(
                address: "http://127.0.0.1:\(servers[0].port)/birds.onnx", sha256: nil, labels: labels,
                into: folder.path)
        }
        let wrong = try download(sumOfLabels: String(repeating: "0", count: 64))
        await #expect(throws: ModelDownloadError.self) { try await onThread { try wrong.run() } }
        #expect(ModelStore(root: folder.path).names.isEmpty)
        let right = try download(sumOfLabels: ContentDigest(of: list).hexadecimal)
        let head = try #require(try await onThread { try right.run() }.manifest.heads.values.first)
        #expect(head.labels.first == birds[0] && head.labels.count == 21 && head.background == 20)
        let left = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/birds/1").sorted()
        #expect(left == ["birds.onnx", "labels.txt", "manifest.json"])
    }

    @Test func aBrokenConnectionIsTakenUpAgain() async throws {
        let place = try Place()
        defer { place.server.stop() }
        place.server.change { $0.breaks = [1_000_000, 500_000] }
        let download = try place.download(sha256: place.sum)
        #expect(try await onThread { try download.run() }.manifest.sha256 == place.sum)
        #expect(
            place.server.seen == [
                FileServer.Seen(range: nil, condition: nil),
                FileServer.Seen(range: "bytes=1000000-", condition: "\"1\""),
                FileServer.Seen(range: "bytes=1500000-", condition: "\"1\""),
            ])
    }

    @Test func whatCameIsKeptForTheNextCommand() async throws {
        let place = try Place()
        defer { place.server.stop() }
        // The first answer breaks off, and the later ones are empty.
        place.server.change { $0.breaks = [2_000_000, 0] }
        let first = try place.download(sha256: place.sum)
        let error = await #expect(throws: ModelDownloadError.self) { try await onThread { try first.run() } }
        guard case .connection(_, received: 2_000_000) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(place.isEmpty)
        let second = try place.download(sha256: place.sum)
        #expect(try await onThread { try second.run() }.manifest.sha256 == place.sum)
        #expect(place.server.seen.last == FileServer.Seen(range: "bytes=2000000-", condition: "\"1\""))
    }

    @Test func aFileThatChangedMeanwhileIsFetchedAnew() async throws {
        let place = try Place()
        defer { place.server.stop() }
        place.server.change {
            $0.breaks = [1_000_000, 0]
            $0.file = [UInt8](repeating: 1, count: 3_000_000)
            $0.tag = "\"old\""
        }
        let first = try place.download(sha256: place.sum)
        await #expect(throws: ModelDownloadError.self) { try await onThread { try first.run() } }
        let whole = [UInt8](try Data(contentsOf: Self.weights))
        place.server.change {
            $0.file = whole
            $0.tag = "\"new\""
        }
        let second = try place.download(sha256: place.sum)
        #expect(try await onThread { try second.run() }.bytes == whole.count)
    }

    @Test func aWrongChecksumLeavesNothing() async throws {
        let place = try Place()
        defer { place.server.stop() }
        let wrong = String(repeating: "0", count: 64)
        let download = try place.download(sha256: wrong)
        await #expect(throws: ModelDownloadError.checksum(found: place.sum, expected: wrong)) {
            try await onThread { try download.run() }
        }
        #expect(place.isEmpty)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: place.folder.path) == [".pull"])
    }

    @Test func whatIsNoNetworkIsNotPutInPlace() async throws {
        let place = try Place()
        defer { place.server.stop() }
        place.server.change { $0.file = Array("<html>Not Found</html>".utf8) }
        let download = try place.download(sha256: nil)
        let error = await #expect(throws: ModelDownloadError.self) { try await onThread { try download.run() } }
        guard case .unusable = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(place.isEmpty)
        place.server.change { $0.status = 404 }
        await #expect(throws: ModelDownloadError.status(404)) { try await onThread { try download.run() } }
    }

    @Test(arguments: ["ftp://host/a.onnx", "file:///etc/a.onnx", "http://host/a.txt", "net.onnx", "http://host/a.xml"])
    func otherAddressesAreRefused(address: String) {
        #expect(throws: ModelDownloadError.address(address)) {
            try ModelDownload(address: address, sha256: nil, into: "/nowhere")
        }
    }

    /// The program has its own folder of models. The catalogue beside it names a file of the test's server.
    @Test func anOwnFolderWithoutACatalogueIsPulledIntoByName() async throws {
        let place = try Place()
        defer { place.server.stop() }
        let program = try Program.copied(into: place.folder.path + "/opt/bin")
        let entry = """
            {"models": [{"name": "net", "title": "Net", "task": "classification", "licence": "Apache-2.0",
                         "url": "http://127.0.0.1:\(place.server.port)/net.onnx", "sha256": "\(place.sum)"}]}
            """
        try place.folder.write(Array(entry.utf8), "opt/Models/catalogue.json")
        let own = place.folder.path + "/own"
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        let setting = ["--set", "recognition.models_directory=\(own)"]

        let list = try await program.run(["models", "catalogue"] + setting)
        #expect(list.status == 0 && list.output.hasPrefix("net: Net, classification"), "\(list.output)\(list.errors)")
        let pull = try await program.run(["models", "pull", "net"] + setting)
        #expect(pull.status == 0 && ModelStore(root: own).names == ["net"], "\(pull.output)\(pull.errors)")
        let unknown = try await program.run(["models", "pull", "nets"] + setting)
        #expect(unknown.status != 0 && unknown.errors.contains("nets is neither an address nor in the catalogue"))

        // The folder's own catalogue takes precedence.
        try place.folder.write(Array(#"{"models": []}"#.utf8), "own/catalogue.json")
        #expect(try await program.run(["models", "catalogue"] + setting).output == "")
    }

    @Test func theCatalogueIsWhole() throws {
        let entries = try PublicModels.read(in: LiveService.package.appending(path: "Models").path).models
        #expect(Set(entries.map(\.name)).count == entries.count && entries.count >= 9)
        for entry in entries {
            #expect(entry.url.hasPrefix("https://") && !entry.licence.isEmpty, "\(entry.name)")
            #expect(entry.sha256.map { $0.count == 64 && $0.allSatisfy(\.isHexDigit) } ?? true, "\(entry.name)")
            _ = try ModelDownload(address: entry.url, name: entry.name, sha256: entry.sha256, into: "/nowhere")
        }
        #expect(throws: ModelDownloadError.self) { try PublicModels.read(in: "/nowhere") }
    }
}

private final class Recorder: Sendable {
    private let list = Locked<[(received: Int, total: Int?)]>([])

    var steps: [(received: Int, total: Int?)] { list.withLock { $0 } }

    func add(_ received: Int, _ total: Int?) { list.withLock { $0.append((received, total)) } }
}
