import Base
package import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Speaks to an Immich server with one of its API keys (`x-api-key`), as its OpenAPI document has it.
package final class ImmichClient: Sendable {
    /// Times that a request is made that may be made twice.
    private static let attempts = 3
    private static let pageSize = 250

    private let address: URL
    private let key: String
    private let session: URLSession

    /// One photo of the library.
    package struct Asset: Decodable, Sendable, Equatable {
        package let id: UUID
        package let originalFileName: String?
    }

    /// A page of photos.
    package struct Page: Sendable, Equatable {
        package let assets: [Asset]
        /// nil for the last.
        package let next: Int?
    }

    /// A person, or an animal that has a name.
    struct Person: Decodable, Sendable {
        let id: UUID
        let name: String
    }

    /// A named place in a picture of `imageWidth` × `imageHeight` pixels.
    struct Face: Decodable, Sendable {
        let boundingBoxX1, boundingBoxY1, boundingBoxX2, boundingBoxY2: Double
        let imageWidth, imageHeight: Double
        let person: Person?
    }

    /// - Parameters:
    ///   - address: such as `http://immich:2283`.
    ///   - key: of a user; photos, tags, people and faces are theirs.
    /// - Throws: ``ImmichError/address(_:)``.
    package init(address: String, key: String) throws(ImmichError) {
        guard let url = URL(string: address), ["http", "https"].contains(url.scheme), url.host() != nil else {
            throw .address(address)
        }
        self.address = url
        self.key = key
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 60
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        session = URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
    }

    deinit { session.invalidateAndCancel() }

    // MARK: Calls

    /// - Parameters:
    ///   - number: from 1.
    ///   - since: only photos that changed after that time.
    package func photos(page number: Int, since: Date?) async throws -> Page {
        struct Query: Encodable {
            let page: Int
            let size: Int
            let type = "IMAGE"
            let updatedAfter: String?
        }
        struct Answer: Decodable {
            struct Assets: Decodable {
                let items: [Asset]
                let nextPage: String?
            }
            let assets: Assets
        }
        // Immich 3 takes times of UTC only.
        let query = Query(page: number, size: Self.pageSize, updatedAfter: since?.rfc3339)
        let answer: Answer = try await call("POST", "search/metadata", query, isRepeatable: true)
        return Page(assets: answer.assets.items, next: answer.assets.nextPage.flatMap { Int($0) })
    }

    /// A picture of about 1,440 pixels, upright.
    package func preview(of asset: Asset) async throws -> [UInt8] {
        Array(try await send("GET", "assets/\(asset.id.uuidString.lowercased())/thumbnail?size=preview", nil, true))
    }

    /// The names that are there, hidden ones included; of two with one name the first.
    func people() async throws -> [String: UUID] {
        struct Answer: Decodable {
            let people: [Person]
            let hasNextPage: Bool?
        }
        var people: [String: UUID] = [:]
        for page in 1...1_000 {
            let answer: Answer = try await call("GET", "people?withHidden=true&size=500&page=\(page)")
            for person in answer.people where people[person.name] == nil { people[person.name] = person.id }
            guard answer.hasNextPage == true, !answer.people.isEmpty else { break }
        }
        return people
    }

    func makePerson(_ name: String) async throws -> UUID {
        let person: Person = try await call("POST", "people", ["name": name], isRepeatable: false)
        return person.id
    }

    func faces(of asset: Asset) async throws -> [Face] {
        try await call("GET", "faces?id=\(asset.id.uuidString.lowercased())")
    }

    /// What `POST /faces` is told.
    struct NewFace: Encodable, Sendable {
        let assetId, personId: UUID
        let imageWidth, imageHeight, x, y, width, height: Int
    }

    func make(_ face: NewFace) async throws {
        _ = try await send("POST", "faces", try JSONEncoder().encode(face), false)
    }

    /// Makes tags where they are not there: `Animals/Cats/Siamese`.
    ///
    /// - Returns: their ids.
    func tags(_ values: [String]) async throws -> [String: UUID] {
        struct Tag: Decodable {
            let id: UUID
            let value: String
        }
        let tags: [Tag] = try await call("PUT", "tags", ["tags": values], isRepeatable: true)
        return Dictionary(tags.map { ($0.value, $0.id) }, uniquingKeysWith: { first, _ in first })
    }

    func tag(_ assets: [UUID], with tag: UUID) async throws {
        let body = ["assetIds": assets, "tagIds": [tag]]
        _ = try await send("PUT", "tags/assets", try JSONEncoder().encode(body), true)
    }

    // MARK: HTTP

    private func call<Answer: Decodable>(_ method: String, _ path: String) async throws -> Answer {
        try decode(try await send(method, path, nil, true), path)
    }

    private func call<Answer: Decodable>(
        _ method: String, _ path: String, _ body: some Encodable, isRepeatable: Bool
    ) async throws -> Answer {
        try decode(try await send(method, path, try JSONEncoder().encode(body), isRepeatable), path)
    }

    private func decode<Answer: Decodable>(_ data: Data, _ path: String) throws(ImmichError) -> Answer {
        guard let answer = try? JSONDecoder().decode(Answer.self, from: data) else { throw .answer(path) }
        return answer
    }

    /// - Parameter isRepeatable: whether a second try does no harm where the first came to nothing.
    private func send(_ method: String, _ path: String, _ body: Data?, _ isRepeatable: Bool) async throws -> Data {
        let base = address.absoluteString.hasSuffix("/") ? address.absoluteString : address.absoluteString + "/"
        guard let url = URL(string: base + "api/" + path) else { throw ImmichError.address(base) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.setValue(key, forHTTPHeaderField: "x-api-key")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = body
        var attempt = 1
        while true {
            do {
                let (data, status) = try await exchange(request)
                switch status {
                case 200..<300: return data
                case 429 where attempt < Self.attempts, 500... where isRepeatable && attempt < Self.attempts: break
                case 401, 403: throw ImmichError.refused(path, status)
                default: throw ImmichError.status(path, status)
                }
            } catch let error as URLError {
                guard isRepeatable, attempt < Self.attempts else {
                    throw ImmichError.unreachable(address.absoluteString, error.localizedDescription)
                }
            }
            try await Task.sleep(for: .milliseconds(200 << attempt))
            attempt += 1
        }
    }

    /// Goes on to its end where the task is cancelled: Foundation's own `data(for:)` then sometimes waits forever.
    private func exchange(_ request: URLRequest) async throws -> (Data, Int) {
        try await withCheckedThrowingContinuation { continuation in
            session.dataTask(with: request) { data, response, error in
                if let data, let response = response as? HTTPURLResponse {
                    continuation.resume(returning: (data, response.statusCode))
                } else {
                    continuation.resume(throwing: error ?? URLError(.badServerResponse))
                }
            }.resume()
        }
    }
}

/// A key goes to the server that it is meant for, and to no other that this one names.
private final class NoRedirects: NSObject, URLSessionTaskDelegate, Sendable {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}

/// Why Immich did not do what was asked.
package enum ImmichError: Error, Equatable, CustomStringConvertible {
    case address(String)
    case unreachable(String, String)
    case refused(String, Int)
    case status(String, Int)
    case answer(String)

    /// Whether the next photo may fare better.
    var isOfOnePhoto: Bool {
        switch self {
        case .status, .answer: true
        case .address, .unreachable, .refused: false
        }
    }

    package var description: String {
        switch self {
        case .address(let text): "“\(text)” is no address; it has to be one such as http://immich:2283."
        case .unreachable(let address, let reason): "Immich at \(address) is not reached: \(reason)"
        case .refused(let path, let status):
            "Immich answered \(status) to /api/\(path). The key has to be one of its own, with the permissions asset.read, "
                + "asset.view, tag.create, tag.asset, person.create, person.read, face.create and face.read."
        case .status(let path, let status): "Immich answered \(status) to /api/\(path)."
        case .answer(let path): "Immich's answer to /api/\(path) cannot be read."
        }
    }
}
