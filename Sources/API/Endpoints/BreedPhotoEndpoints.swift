import Base
package import Connections
import Encyclopaedia
import HTTP
import Storage

/// `GET /breeds/list/all` and `GET /breeds/{id}/photos` in the form of dog.ceo, and the photos themselves.
struct BreedPhotoEndpoints: Sendable {
    /// The sources of photos, in the order of the list.
    private enum Source: String, CaseIterable {
        case folder, scans
        case dogCEO = "dog_ceo"
    }

    private static let listName = "photos"
    /// The largest number of the user's own scans in a list, newest first.
    private static let maximumScans = 100

    private let encyclopaedia: Encyclopaedia
    private let history: HistoryStore
    private let folder: BreedPhotoFolder?
    private let files: StaticFiles?
    private let includesOwnScans: Bool
    private let dogCEO: DogCEO?

    /// - Throws: an error if the configured folder cannot be read.
    init(encyclopaedia: Encyclopaedia, history: HistoryStore, options: BreedPhotoOptions) throws {
        self.encyclopaedia = encyclopaedia
        self.history = history
        folder = options.directory.map(BreedPhotoFolder.init)
        files = try options.directory.map { try StaticFiles(path: $0, cacheControl: "public, max-age=300") }
        includesOwnScans = options.includesOwnScans
        dogCEO = options.dogCEO
    }

    func register(in router: inout Router) throws {
        let list = Representation(
            json: try JSON.encode(DogList(message: DogListName.all)), headers: ["Cache-Control": "public, max-age=300"])
        router.get("/breeds/list/all", .inlineWithoutQuery { list.response(to: $0) })
        router.get("/breeds/{id}/photos", .asynchronous { try await photos($0) })
        router.get("/breeds/{id}/photos/{name}", .withoutQuery { try await photo($0) })
    }

    private func article(_ request: Request) throws -> Article {
        try encyclopaedia.article(request.parameters["id"] ?? "")
    }

    // MARK: The list

    private func photos(_ request: Request) async throws -> Response {
        var reader = QueryReader(request)
        let source = try reader.choice("source", of: Source.self)
        let limit = try reader.integer("limit", in: 1...100, default: 20)
        let offset = try reader.offset(of: Self.listName)
        try reader.finish()
        let article = try article(request)
        if let source, !isAllowed(source) { throw Self.notAllowed(source) }
        let all = try await addresses(of: article, from: source)
        let page = Page(of: all, from: offset, limit: limit, list: Self.listName) { $0 }
        var headers: HeaderFields = ["Cache-Control": "private, no-cache"]
        headers["Link"] = page.nextCursor.value.map(request.link)
        return Representation(
            json: try JSON.encode(
                PhotoList(message: page.items, total: page.total, nextCursor: page.nextCursor)),
            headers: headers
        ).response(to: request)
    }

    /// The addresses of the photos. An unreachable server is an error only if there is nothing else to show.
    private func addresses(of article: Article, from source: Source?) async throws -> [String] {
        var names: [String] = []
        if let folder, source == nil || source == .folder {
            guard let found = await folder.names(of: article) else {
                throw ProblemDetails.overloaded(retryAfterSeconds: 1)
            }
            names = found
        }
        var scans: [String] = []
        if includesOwnScans, source == nil || source == .scans { scans = try await ownScans(of: article) }
        if let dogCEO, source == nil || source == .dogCEO {
            do throws(WebError) {
                let known = Set(names)
                names += try await dogCEO.names(of: article).filter { !known.contains($0) }
            } catch {
                if names.isEmpty, scans.isEmpty { throw error }
            }
        }
        return names.map { "/breeds/\(article.id)/photos/\(PercentCoding.encode($0))" } + scans
    }

    private func ownScans(of article: Article) async throws -> [String] {
        let query = HistoryQuery(limit: Self.maximumScans, label: article.id, abstained: false)
        return try await history.scans.page(query).items.filter { $0.photo != nil }
            .map { "/history/\($0.id)/photo" }
    }

    private func isAllowed(_ source: Source) -> Bool {
        switch source {
        case .folder: folder != nil
        case .scans: includesOwnScans
        case .dogCEO: dogCEO != nil
        }
    }

    private static func notAllowed(_ source: Source) -> ProblemDetails {
        let setting =
            switch source {
            case .folder: "encyclopaedia.photos_directory names no folder"
            case .scans: "encyclopaedia.own_scans is not set"
            case .dogCEO: "encyclopaedia.allow_dog_ceo is not set"
            }
        return .sourceNotAllowed("Photos do not come from “\(source.rawValue)” here: \(setting).")
    }

    // MARK: One photo

    private func photo(_ request: Request) async throws -> Response {
        let article = try article(request)
        let name = request.parameters["name"] ?? ""
        if let files, BreedPhotoFolder.isPicture(name) {
            let response = files.response(to: request, path: "\(article.id)/\(name)")
            if response.status != .notFound { return response }
        }
        guard let bytes = try await dogCEO?.photo(name, of: article) else {
            throw ProblemDetails.notFound("photo", id: name)
        }
        return Representation(
            .bytes(bytes), type: MediaType(fileName: name),
            validators: Validators(entityTag: EntityTag(ContentDigest(of: bytes).description)),
            headers: ["Cache-Control": "public, max-age=86400"]
        ).response(to: request)
    }
}

/// The sources of a breed's photos.
package struct BreedPhotoOptions: Sendable {
    /// A folder with a subfolder of pictures for each article id; nil for none.
    package var directory: String?
    /// Whether the user's own scans of a breed are among its photos.
    package var includesOwnScans: Bool
    /// The online source; nil if the operator does not allow it.
    package var dogCEO: DogCEO?

    package init(directory: String? = nil, includesOwnScans: Bool = false, dogCEO: DogCEO? = nil) {
        self.directory = directory
        self.includesOwnScans = includesOwnScans
        self.dogCEO = dogCEO
    }
}

/// `{"message": {"bulldog": ["boston", …]}, "status": "success"}`
private struct DogList: Encodable {
    let message: [String: [String]]
    let status = "success"
}

/// `{"message": ["/breeds/beagle/photos/1.jpg", …], "status": "success"}` with this service's list fields.
private struct PhotoList: Encodable {
    let message: [String]
    let status = "success"
    let total: Int
    let nextCursor: Nullable<String>
}
