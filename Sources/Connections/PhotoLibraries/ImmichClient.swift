import Base
package import Foundation
import Video

/// A client for an Immich server, authorised by an API key (`x-api-key`). It follows Immich's OpenAPI document.
package final class ImmichClient: Sendable {
    /// The number of attempts for a request that may be repeated.
    private static let attempts = 3
    private static let pageSize = 250

    private let address: URL
    private let key: String
    private let client = WebClient(idle: 60, whole: 300)

    package struct Asset: Decodable, Sendable, Equatable {
        package let id: UUID
        package let originalFileName: String?
    }

    package struct Page: Sendable, Equatable {
        package let assets: [Asset]
        /// The number of the next page. Nil on the last.
        package let next: Int?
    }

    /// A person, or an animal with a name.
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
    ///   - address: the server's address, such as `http://immich:2283`.
    ///   - key: a user's API key. All calls concern this user's photos, tags, people and faces.
    /// - Throws: ``ImmichError/address(_:)``.
    package init(address: String, key: String) throws(ImmichError) {
        guard let url = URL(string: address), url.isHTTP, url.query() == nil, url.fragment() == nil else {
            throw .address(VideoAddress.shown(address))
        }
        self.address = url
        self.key = key
    }

    // MARK: Calls

    /// - Parameters:
    ///   - number: the page, from 1.
    ///   - since: limits the result to photos changed after that time.
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
        // Immich 3 accepts only times in UTC.
        let query = Query(page: number, size: Self.pageSize, updatedAfter: since?.rfc3339)
        let answer: Answer = try await call("POST", "search/metadata", query, isRepeatable: true)
        return Page(assets: answer.assets.items, next: answer.assets.nextPage.flatMap { Int($0) })
    }

    /// An upright picture of about 1,440 pixels.
    package func preview(of asset: Asset) async throws -> [UInt8] {
        try await send("GET", "assets/\(asset.id.uuidString.lowercased())/thumbnail?size=preview", nil, true)
    }

    /// The ids of all names, including hidden ones. Of two people with one name the first is taken.
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

    /// The body of `POST /faces`.
    struct NewFace: Encodable, Sendable {
        let assetId, personId: UUID
        let imageWidth, imageHeight, x, y, width, height: Int
    }

    func make(_ face: NewFace) async throws {
        _ = try await send("POST", "faces", try JSONEncoder().encode(face), false)
    }

    /// Creates missing tags, such as `Animals/Cats/Siamese`.
    ///
    /// - Returns: the ids of all the tags.
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

    private func decode<Answer: Decodable>(_ bytes: [UInt8], _ path: String) throws(ImmichError) -> Answer {
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(bytes)) else { throw .answer(path) }
        return answer
    }

    /// - Parameter isRepeatable: whether a second attempt after a failed one is harmless.
    private func send(_ method: String, _ path: String, _ body: Data?, _ isRepeatable: Bool) async throws -> [UInt8] {
        let base = address.absoluteString.hasSuffix("/") ? address.absoluteString : address.absoluteString + "/"
        guard let url = URL(string: base + "api/" + path) else { throw ImmichError.address(VideoAddress.shown(base)) }
        let request = WebRequest(
            url, method: method, fields: ["x-api-key": key, "Content-Type": "application/json"],
            body: body.map { Array($0) })
        let answer: WebClient.Answer
        do {
            answer = try await client.send(request, attempts: Self.attempts, isRepeatable: isRepeatable)
        } catch let error as WebError {
            throw ImmichError.unreachable(VideoAddress.shown(address.absoluteString), error.localizedDescription)
        }
        switch answer.status {
        case 200..<300: return answer.body
        case 401, 403: throw ImmichError.refused(path, answer.status)
        default: throw ImmichError.status(path, answer.status)
        }
    }
}

/// An address in it shows no password.
package enum ImmichError: Error, Equatable, CustomStringConvertible {
    case address(String)
    case unreachable(String, String)
    case refused(String, Int)
    case status(String, Int)
    case answer(String)

    /// Whether other photos may still succeed.
    var isOfOnePhoto: Bool {
        switch self {
        case .status, .answer: true
        case .address, .unreachable, .refused: false
        }
    }

    package var description: String {
        switch self {
        case .address(let text):
            "“\(text)” is not an address; it has to be one such as http://immich:2283, without a query."
        case .unreachable(let address, let reason): "Immich at \(address) is not reached: \(reason)"
        case .refused(let path, let status):
            "Immich answered \(status) to /api/\(path). The key has to be one of its own, with the permissions asset.read, "
                + "asset.view, tag.create, tag.asset, person.create, person.read, face.create and face.read."
        case .status(let path, 300..<400):
            "Immich redirects /api/\(path), which is not followed. Name the address that it leads to, such as https://…"
        case .status(let path, let status): "Immich answered \(status) to /api/\(path)."
        case .answer(let path): "Immich's answer to /api/\(path) cannot be read."
        }
    }
}
