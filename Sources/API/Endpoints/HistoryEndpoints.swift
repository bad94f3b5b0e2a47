import Base
import Encyclopaedia
import Foundation
import HTTP
import Recognition
import Storage
import Training

/// `/history`: earlier scans, newest first.
struct HistoryEndpoints: Sendable {
    /// The corrections that have no article: a photo without any animal, and an animal whose kind alone is known.
    private static let words = Recogniser.animalKinds.union(["no_animal"])

    let history: HistoryStore
    let encyclopaedia: Encyclopaedia
    let recogniser: Recogniser
    /// The service that learns anew when names change; nil without training.
    let individuals: IndividualService?
    private let thumbnails = ThumbnailCache()

    func register(in router: inout Router) {
        router.get("/history", .asynchronous { try await list($0) })
        router.delete("/history", .asynchronous { try await deleteAll($0) })
        router.get("/history/{id}", .asynchronous { try await scan($0) })
        router.patch("/history/{id}", .asynchronous { try await update($0) })
        router.delete("/history/{id}", .withoutQuery { try await delete($0) })
        router.get("/history/{id}/photo", .withoutQuery { try await photo($0) })
        router.get("/history/{id}/thumbnail", .withoutQuery { try await thumbnail($0) })
        router.post("/history/deletions/{id}/undo", .withoutQuery { try await undo($0) })
    }

    // MARK: Reading

    private func list(_ request: Request) async throws -> Response {
        var reader = QueryReader(request)
        let language = try reader.language(of: request)
        var query = try reader.historyFilter()
        query.limit = try reader.integer("limit", in: 1...100, default: 20)
        query.cursor = try reader.cursor(of: HistoryQuery.listName)
        try reader.finish()
        let page = try await history.scans.page(query)
        let names = encyclopaedia.names(in: language)
        return try .json(
            Page(
                items: page.items.map { ScanRepresentation($0, names: names) }, total: page.total,
                next: page.nextCursor),
            of: request)
    }

    private func scan(_ request: Request) async throws -> Response {
        let language = try request.language()
        return try response(for: await history.scans.scan(id: try request.id(of: "scan")), in: language)
    }

    private func photo(_ request: Request) async throws -> Response {
        let id = try request.id(of: "scan")
        guard let file = try await history.photo(of: id) else { throw ProblemDetails.notFound("photo", id: "\(id)") }
        return Representation(
            .bytes(file.bytes), contentType: "image/jpeg", revalidatedBy: file.digest.description
        ).response(to: request)
    }

    private func thumbnail(_ request: Request) async throws -> Response {
        let id = try request.id(of: "scan")
        guard let digest = try await history.scans.scan(id: id).photo?.digest else {
            throw ProblemDetails.notFound("thumbnail", id: "\(id)")
        }
        let bytes = try await thumbnails.thumbnail(of: digest) {
            try await recogniser.thumbnail(of: try await history.photos.read(digest))
        }
        return Representation(.bytes(bytes), contentType: "image/jpeg", revalidatedBy: "\(digest)-thumbnail")
            .response(to: request)
    }

    private func response(for scan: Scan, in language: Language) throws -> Response {
        try .json(ScanRepresentation(scan, names: encyclopaedia.names(in: language)))
    }

    // MARK: Changing

    /// Reads `{"note": "…", "corrected_label": "…", "individual": "…"}`. null clears; absent fields stay.
    private func update(_ request: Request) async throws -> Response {
        let language = try request.language()
        let id = try request.id(of: "scan")
        let body = try await request.body.collect(upTo: 65_536)
        let members = try JSON.members(
            body, known: ["note", "corrected_label", "individual"],
            example: #"{"note": "limps", "individual": "Misu"}; null clears"#)
        let change = ScanUpdate(
            note: try Self.change("note", members), correctedLabel: try Self.change("corrected_label", members),
            individual: try Self.change("individual", members))
        if case .set(let label) = change.correctedLabel, !Self.words.contains(label), encyclopaedia[label] == nil {
            throw HistoryError.invalid(
                field: "corrected_label",
                problem: "there is no article “\(label.prefix(80))”; GET /breeds lists them; "
                    + "“dog” and the other kinds of animals say no more than that, and “no_animal” that there is none"
            ).problem.suggesting(encyclopaedia.index.near(label))
        }
        let scan = try await history.scans.update(id: id, change)
        if change.individual != .keep { individuals?.changed() }
        return try response(for: scan, in: language)
    }

    private static func change(_ name: String, _ members: [String: Any]) throws -> ScanUpdate.Change {
        switch members[name] {
        case nil: .keep
        case is NSNull: .clear
        case let text as String: .set(text)
        default: throw ProblemDetails.malformedBody("“\(name)” has to be a text, or null, which clears it.")
        }
    }

    private func delete(_ request: Request) async throws -> Response {
        let deletion = try await history.scans.delete(id: try request.id(of: "scan"))
        individuals?.changed()
        return deleted(deletion)
    }

    private func deleteAll(_ request: Request) async throws -> Response {
        var reader = QueryReader(request)
        let ids = reader.list("id")
        try reader.finish()
        defer { individuals?.changed() }
        guard !ids.isEmpty else { return deleted(try await history.scans.deleteAll()) }
        let selection = try ids.map { text in
            guard let id = ULID(text) else {
                throw ProblemDetails.invalidParameter("id", value: text, expected: "the id of a scan")
            }
            return id
        }
        return deleted(try await history.scans.delete(ids: selection))
    }

    private func deleted(_ deletion: Deletion) -> Response {
        var response = Response(status: .noContent, headers: ["X-Deleted-Count": String(deletion.count)])
        if deletion.count > 0 {
            response.headers["Link"] = "</history/deletions/\(deletion.id)/undo>; rel=\"undo\""
        }
        return response
    }

    private func undo(_ request: Request) async throws -> Response {
        let count = try await history.scans.undo(try request.id(of: "deletion"))
        individuals?.changed()
        return .bytes(try JSON.encode(["restored": count]), type: .json)
    }
}
