import Base
import Connections
import Encyclopaedia
import Foundation
import HTTP
import Logging
import Recognition
import Storage
import TestSupport
import Testing
import Training
import Video

@testable import API
@testable import Security

/// Compares the OpenAPI document with the router.
@Suite struct InterfaceDescriptionTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardized

    /// All routes, such as `GET /breeds/{id}`, without the files of the web page.
    private static func routes() async throws -> Set<String> {
        let directory = FileManager.default.temporaryDirectory.appending(path: "menagerie-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var options = RecogniserOptions(modelsDirectory: package.appending(path: "Models").path, cores: 1)
        options.engine.cacheDirectory = CompiledModels.folder
        let recogniser = try Recogniser(options: options, observer: ServiceMetrics())
        defer { recogniser.stop() }
        let encyclopaedia = try Encyclopaedia.bundled()
        let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let cameras = try CameraService(
            options: CameraService.Options(isOn: false, directory: directory + "/cameras"), recogniser: recogniser,
            identifier: Identifier(encyclopaedia: encyclopaedia, individuals: nil), logger: quiet)
        let api = try MenagerieAPI(
            recogniser: recogniser, encyclopaedia: encyclopaedia,
            history: await HistoryStore.open(HistoryConfiguration(directory: directory), logger: quiet),
            metrics: ServiceMetrics(), readiness: Readiness(), cameras: cameras,
            options: MenagerieAPI.Options(
                publicDirectory: package.appending(path: "Public").path, serverVersion: "1"))
        return Set(
            api.router.routes.filter { !["/", "/{path...}"].contains($0.pattern) }
                .map { "\($0.method) \($0.pattern)" })
    }

    private static func document() throws -> [String: Any] {
        let file = package.appending(path: "Sources/API/Resources/openapi.json")
        return try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    }

    @Test func everyRouteIsDescribedAndNothingElseIs() async throws {
        let paths = try #require(try Self.document()["paths"] as? [String: [String: Any]])
        let described = Set(paths.flatMap { path, methods in methods.keys.map { "\($0.uppercased()) \(path)" } })
        let routes = try await Self.routes()
        #expect(routes.subtracting(described).sorted() == [], "routes that openapi.json lacks")
        #expect(described.subtracting(routes).sorted() == [], "paths of openapi.json without a route")
    }

    @Test func everyReferenceOfTheDocumentLeadsSomewhere() throws {
        let document = try Self.document()
        let references = Self.references(in: document)
        #expect(!references.isEmpty)
        for reference in references {
            #expect(Self.place(reference, in: document) != nil, "\(reference)")
        }
    }

    @Test func everyOperationHasItsOwnIdAndNamesThePathsParameters() throws {
        let document = try Self.document()
        let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
        var ids: Set<String> = []
        for (path, methods) in paths {
            for (method, operation) in methods {
                let id = try #require(operation["operationId"] as? String, "\(method) \(path)")
                #expect(ids.insert(id).inserted, "\(id) stands twice")
                let parameters = (operation["parameters"] as? [[String: Any]] ?? []).compactMap {
                    ($0["$ref"] as? String).map { Self.place($0, in: document) as? [String: Any] } ?? $0
                }
                let named = Set(
                    parameters.filter { $0["in"] as? String == "path" }.compactMap { $0["name"] as? String })
                let wanted = Set(path.matches(of: /\{([a-z_]+)\}/).map { String($0.output.1) })
                #expect(named == wanted, "\(method) \(path)")
            }
        }
    }

    /// One table lists the role for each route. A new route that is missing there fails this test.
    @Test func everyRouteHasItsRole() async throws {
        let routes = try await Self.routes().union(["GET /", "GET /{path...}"])
        #expect(routes.subtracting(RouteRoles.known).sorted() == [], "routes without a role in RouteRoles")
        #expect(RouteRoles.known.subtracting(routes).sorted() == [], "roles of no route")
    }

    @Test func theDocumentSaysWhichCallsNeedAKey() throws {
        let paths = try #require(try Self.document()["paths"] as? [String: [String: [String: Any]]])
        for (path, methods) in paths {
            for (method, operation) in methods {
                let request = Request(method: Method(rawValue: method.uppercased()), target: path, route: path)
                let role = RouteRoles.role(for: request, savesByDefault: true)
                let responses = try #require(operation["responses"] as? [String: Any])
                if let role {
                    let described = operation["x-role"] as? String
                    #expect(described?.hasPrefix(role.rawValue) == true, "\(method) \(path)")
                    #expect(operation["security"] == nil, "\(method) \(path)")
                    #expect(responses["401"] != nil && responses["403"] != nil, "\(method) \(path)")
                } else {
                    #expect((operation["security"] as? [Any])?.isEmpty == true, "\(method) \(path)")
                }
                #expect(responses["421"] != nil, "\(method) \(path)")
            }
        }
    }

    @Test func everyProblemOfTheSourcesHasItsTypeInTheDocument() throws {
        let described = try Self.words(ofSchema: "ProblemType")
        let sources = Self.package.appending(path: "Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var types: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            types.formUnion(text.matches(of: /"(\/problems\/[a-z-]*[a-z])"/).map { String($0.output.1) })
            // Problems that only their status explains.
            for match in text.matches(of: /(?:ProblemDetails|ParserError)\(\s*\.([a-zA-Z]+)[,)]/) {
                let status = try #require(
                    Self.status(named: String(match.output.1)), "\(match.output.0) in \(file.path)")
                types.insert(ProblemDetails(status).type)
            }
        }
        #expect(types.count > 20)
        #expect(types.subtracting(described).sorted() == [], "types that openapi.json lacks")
    }

    @Test func everyCodeIsInTheDocument() throws {
        #expect(
            try Self.words(ofMember: "code", of: "SkippedFile") == Set(SkipReason.Code.allCases.map(\.rawValue)))
        #expect(
            try Self.words(ofMember: "code", of: "TrainingFailure")
                == Set(TrainingFailure.Code.allCases.map(\.rawValue)))
        #expect(
            try Self.words(ofMember: "code", of: "TrainingWarning")
                == Set(TrainingWarning.Code.allCases.map(\.rawValue)))
        #expect(try Self.words(ofMember: "code", of: "VideoWarning") == Set(VideoWarning.Code.allCases.map(\.rawValue)))
    }

    @Test func correctionsMayNameEveryArticleAndNothingElse() throws {
        let articles = try Encyclopaedia.bundled().articles.map(\.id)
        #expect(try Self.words(ofSchema: "ArticleId") == Set(articles))
    }

    /// The target of a reference such as `#/components/…`.
    private static func place(_ reference: String, in document: [String: Any]) -> Any? {
        reference.split(separator: "/").dropFirst().reduce(document) { place, key in
            (place as? [String: Any])?[String(key)]
        }
    }

    /// The values of a schema's enumeration.
    private static func words(ofSchema name: String) throws -> Set<String> {
        let components = try #require(try document()["components"] as? [String: [String: Any]])
        let schema = try #require(components["schemas"]?[name] as? [String: Any])
        return Set(try #require(schema["enum"] as? [String]))
    }

    /// The values of the enumeration of a schema's member.
    private static func words(ofMember member: String, of name: String) throws -> Set<String> {
        let components = try #require(try document()["components"] as? [String: [String: Any]])
        let schema = try #require(components["schemas"]?[name] as? [String: Any])
        let properties = try #require(schema["properties"] as? [String: [String: Any]])
        return Set(try #require(properties[member]?["enum"] as? [String]))
    }

    private static func status(named name: String) -> Status? {
        (100...599).map { Status(code: $0) }.first { status in
            let words = status.reasonPhrase.split(whereSeparator: { !$0.isLetter })
            let camel = words.enumerated().map { $0 == 0 ? $1.lowercased() : String($1) }.joined()
            return !words.isEmpty && camel.lowercased() == name.lowercased()
        }
    }

    private static func references(in value: Any) -> [String] {
        switch value {
        case let object as [String: Any]:
            object.flatMap { key, member in
                key == "$ref" ? [member as? String].compactMap { $0 } : references(in: member)
            }
        case let list as [Any]: list.flatMap { references(in: $0) }
        default: []
        }
    }
}
