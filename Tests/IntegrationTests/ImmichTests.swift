import Base
@testable import Connections
import Encyclopaedia
import Foundation
import HTTP
@testable import Imaging
import Logging
import Recognition
import Testing

/// `menagerie immich` against a fake server with Immich's API.
@Suite struct ImmichTests {
    private func photo(_ things: [SeenThing]) -> SeenPhoto {
        SeenPhoto(
            image: ImageInfo(
                storedWidth: 1000, storedHeight: 500, format: .jpeg, orientation: .up, sha256: ContentDigest(of: [])),
            things: things, modelName: "m", modelVersion: "1",
            timing: Timing(decode: 0, queue: 0, inference: 0, batchSize: 1))
    }

    private var misu: SeenThing {
        SeenThing(
            region: PictureRegion(x: 0.1, y: 0.2, width: 0.3, height: 0.4), label: "cat", confidence: 0.9,
            breeds: [Prediction(label: "siamese", confidence: 0.9)],
            kind: RegionName.Kind(head: "cats", prediction: Prediction(label: "siamese", confidence: 0.9)),
            individual: Prediction(label: "Misu", confidence: 0.8))
    }

    private func run(
        _ immich: FakeImmich, key: String = FakeImmich.key, isDry: Bool = false, since: Date? = nil,
        look: @escaping @Sendable ([UInt8]) async throws -> SeenPhoto
    ) async throws -> ImmichRun.Tally {
        try await ImmichRun(
            client: try ImmichClient(address: "http://127.0.0.1:\(immich.port)", key: key),
            tags: PhotoTags(encyclopaedia: .bundled(), language: .english), certainty: 0.5, isDry: isDry, look: look
        ).run(since: since) { _ in }
    }

    @Test func animalsBecomeTagsAndNamesBecomePeopleOnce() async throws {
        try await FakeImmich.with { immich in
            let misu = photo([misu])
            let empty = photo([])
            let look: @Sendable ([UInt8]) async throws -> SeenPhoto = {
                String(decoding: $0, as: UTF8.self) == "cat" ? misu : empty
            }
            let dry = try await run(immich, isDry: true, look: look)
            #expect(dry == ImmichRun.Tally(photos: 3, tagged: 2, named: 2))
            #expect(immich.state.withLock { $0.tags.isEmpty && $0.faces.isEmpty && $0.people.isEmpty })
            let since = try #require(Date(rfc3339: "2026-11-01T02:00:00+02:00"))
            #expect(try await run(immich, since: since, look: look) == dry)
            let state = immich.state.withLock { $0 }
            let cats = [FakeImmich.assets[0], FakeImmich.assets[2]]
            #expect(state.tags == ["Animals/Cats/Siamese": Set(cats), "Animals/Pets/Misu": Set(cats)])
            #expect(state.people == ["Misu"] && state.since == "2026-11-01T00:00:00.000Z")
            #expect(state.faces.map(\.asset) == cats)
            #expect(state.faces.first?.box == [100, 100, 300, 200] && state.faces.first?.size == [1000, 500])
            // A second run creates nothing again.
            #expect(try await run(immich, look: look).named == 0)
            #expect(immich.state.withLock { $0.faces.count } == 2)
            #expect(immich.state.withLock { $0.faults } == [])
        }
    }

    @Test func aBadPhotoFailsAloneAndABadKeyAtOnce() async throws {
        try await FakeImmich.with { immich in
            immich.state.withLock { $0.broken = [FakeImmich.assets[0]] }
            let misu = photo([misu])
            let answer = try await run(immich) { _ in misu }
            #expect(answer == ImmichRun.Tally(photos: 3, tagged: 2, named: 2, failures: 1))
            await #expect(throws: ImmichError.refused("people?withHidden=true&size=500&page=1", 401)) {
                try await run(immich, key: "wrong") { _ in misu }
            }
        }
    }

    @Test func aServerThatIsBusyIsAskedAFewTimes() async throws {
        try await FakeImmich.with { immich in
            immich.state.withLock { $0.busy = 2 }
            let empty = photo([])
            let answer = try await run(immich) { _ in empty }
            #expect(answer == ImmichRun.Tally(photos: 3))
            immich.state.withLock { $0.busy = 3 }
            await #expect(throws: ImmichError.status("people?withHidden=true&size=500&page=1", 429)) {
                try await run(immich) { _ in empty }
            }
        }
    }

    @Test func theKeyIsNotTakenElsewhere() async throws {
        try await FakeImmich.with { other in
            try await FakeImmich.with { immich in
                immich.state.withLock { $0.elsewhere = "http://127.0.0.1:\(other.port)/api/people" }
                let empty = photo([])
                await #expect(throws: ImmichError.self) { try await run(immich) { _ in empty } }
                #expect(other.state.withLock { $0.requests } == 0)
            }
        }
    }
}

private final class FakeImmich: Sendable {
    struct Face: Sendable {
        let asset, person: String
        let box, size: [Int]
    }

    struct State: Sendable {
        var requests = 0
        var tags: [String: Set<String>] = [:]
        var people: [String] = []
        var faces: [Face] = []
        var since: String?
        /// Photos without a preview.
        var broken: Set<String> = []
        /// Redirects all requests to this address if set.
        var elsewhere: String?
        /// The number of requests that are refused as too many.
        var busy = 0
        /// The deviations of requests and answers from Immich's document.
        var faults: [String] = []
    }

    static let key = "immich-key"
    static let assets = (0..<3).map { "00000000-0000-4000-8000-00000000000\($0)" }

    let state = Locked(State())
    let port: Int
    private let server: Server

    static func with(_ body: (FakeImmich) async throws -> Void) async throws {
        let immich = try FakeImmich()
        do {
            try await body(immich)
        } catch {
            await immich.server.shutdown()
            throw error
        }
        await immich.server.shutdown()
    }

    private init() throws {
        var router = Router()
        let state = state
        func on(
            _ operation: ImmichOperation,
            _ answer: @escaping @Sendable (Request, [String: Any], inout State) -> Any?
        ) {
            router.on(
                operation.method, "/api/" + operation.path,
                .asynchronous { request in
                    let body = try await request.body.collect(upTo: 1 << 20)
                    let object = (try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]) ?? [:]
                    let found: Result<[UInt8]?, Refusal> = state.withLock { state in
                        state.requests += 1
                        if let elsewhere = state.elsewhere { return .failure(.elsewhere(elsewhere)) }
                        guard request.headers["x-api-key"] == Self.key else { return .failure(.key) }
                        if state.busy > 0 {
                            state.busy -= 1
                            return .failure(.busy)
                        }
                        state.faults += operation.faults(request, body).map { "\(operation.path): \($0)" }
                        if operation.answer == nil {
                            _ = answer(request, object, &state)
                            return .success([])
                        }
                        guard let answer = answer(request, object, &state) else { return .success(nil) }
                        if let bytes = answer as? Data { return .success(Array(bytes)) }
                        state.faults += operation.lacks(answer).map { "answer of \(operation.path) without \($0)" }
                        return .success((try? JSONSerialization.data(withJSONObject: answer)).map { Array($0) })
                    }
                    switch found {
                    case .failure(.elsewhere(let place)):
                        return Response(status: Status(code: 307), headers: ["Location": place])
                    case .failure(.key): return Response(status: .unauthorized)
                    case .failure(.busy): return Response(status: .tooManyRequests)
                    case .success(let bytes?): return .bytes(bytes, type: .json, status: Status(code: operation.status))
                    case .success(nil): return Response(status: .notFound)
                    }
                })
        }
        on(.search) { _, body, state in
            state.since = body["updatedAfter"] as? String
            let page = body["page"] as? Int ?? 0
            // There are two pages. Immich writes the second number as a text.
            let items = page == 1 ? Array(Self.assets[..<2]) : Array(Self.assets[2...])
            return [
                "albums": [String: Any](),
                "assets": [
                    "items": items.map { ["id": $0, "originalFileName": "\($0).jpg", "type": "IMAGE"] },
                    "nextPage": page == 1 ? "2" as Any : NSNull(), "count": items.count, "total": items.count,
                    "facets": [Any](),
                ],
            ]
        }
        on(.thumbnail) { request, _, state in
            let id = request.parameters["id"] ?? ""
            guard !state.broken.contains(id) else { return nil }
            return Data((id == Self.assets[1] ? "chair" : "cat").utf8)
        }
        on(.people) { _, _, state in
            ["people": state.people.map(Self.person), "hasNextPage": false, "hidden": 0, "total": state.people.count]
        }
        on(.makePerson) { _, body, state in
            let name = body["name"] as? String ?? ""
            state.people.append(name)
            return Self.person(name)
        }
        on(.faces) { request, _, state in
            state.faces.filter { $0.asset == request.query["id"] }.map { face in
                [
                    "id": Self.id("face"), "imageWidth": face.size[0], "imageHeight": face.size[1],
                    "boundingBoxX1": face.box[0], "boundingBoxY1": face.box[1],
                    "boundingBoxX2": face.box[0] + face.box[2], "boundingBoxY2": face.box[1] + face.box[3],
                    "person": Self.person(state.people.first { Self.id($0) == face.person } ?? ""),
                ] as [String: Any]
            }
        }
        on(.makeFace) { _, body, state in
            func numbers(_ names: String...) -> [Int] { names.map { body[$0] as? Int ?? -1 } }
            state.faces.append(
                Face(
                    asset: (body["assetId"] as? String ?? "").lowercased(),
                    person: (body["personId"] as? String ?? "").lowercased(), box: numbers("x", "y", "width", "height"),
                    size: numbers("imageWidth", "imageHeight")))
            return nil
        }
        on(.makeTags) { _, body, _ in
            let time = "2026-11-01T00:00:00.000Z"
            return (body["tags"] as? [String] ?? []).map {
                ["id": Self.id($0), "value": $0, "name": $0, "createdAt": time, "updatedAt": time]
            }
        }
        on(.tagAssets) { _, body, state in
            let values = ["Animals/Cats/Siamese", "Animals/Pets/Misu"]
            for tag in body["tagIds"] as? [String] ?? [] {
                guard let value = values.first(where: { Self.id($0) == tag.lowercased() }) else { continue }
                state.tags[value, default: []].formUnion((body["assetIds"] as? [String] ?? []).map { $0.lowercased() })
            }
            return ["count": 1]
        }
        server = Server(
            configuration: .standard, router: router,
            logger: Logger(label: "immich") { _ in SwiftLogNoOpLogHandler() })
        port = try server.start()[0].port
    }

    private enum Refusal: Error {
        case elsewhere(String)
        case key
        case busy
    }

    private static func person(_ name: String) -> [String: Any] {
        ["id": id(name), "name": name, "birthDate": NSNull(), "isHidden": false, "thumbnailPath": ""]
    }

    /// Derives an id from a name, always the same one.
    private static func id(_ name: String) -> String {
        let digest = ContentDigest(of: Array(name.utf8)).hexadecimal
        let parts: [Substring] = [digest.prefix(8), digest.dropFirst(8).prefix(4), "4000", "8000", digest.suffix(12)]
        return parts.map(String.init).joined(separator: "-")
    }
}
