import Base
import Foundation

/// Reads from a store that speaks the protocol of Amazon S3.
///
/// The address, region and keys come from the variables of the AWS command line: `AWS_ENDPOINT_URL_S3` or
/// `AWS_ENDPOINT_URL`, `AWS_REGION` or `AWS_DEFAULT_REGION`, `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and
/// `AWS_SESSION_TOKEN`. Without keys, requests are not signed, which suits public buckets.
final class S3Store: Sendable {
    /// The most tries of a request while the store is busy or out of reach.
    private static let attempts = 5

    /// Nil means Amazon's own.
    private let endpoint: URL?
    private let region: String
    private let credentials: S3Signature.Credentials?
    private let client: WebClient
    /// The size of the largest object, in bytes.
    private let limit: Int

    /// - Parameters:
    ///   - limit: the size of the largest object, in bytes.
    ///   - connections: the most connections at once.
    /// - Throws: ``S3Error/endpoint(_:)``, ``S3Error/halfOfAKey``.
    init(environment: [String: String], limit: Int, connections: Int) throws(S3Error) {
        func value(_ names: String...) -> String? {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        }
        if let address = value("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") {
            guard let url = URL(string: address), url.isHTTP else { throw .endpoint(address) }
            endpoint = url
        } else {
            endpoint = nil
        }
        region = value("AWS_REGION", "AWS_DEFAULT_REGION") ?? "us-east-1"
        switch (value("AWS_ACCESS_KEY_ID"), value("AWS_SECRET_ACCESS_KEY")) {
        case (let accessKey?, let secretKey?):
            credentials = S3Signature.Credentials(
                accessKey: accessKey, secretKey: secretKey, sessionToken: value("AWS_SESSION_TOKEN"))
        case (nil, nil): credentials = nil
        default: throw .halfOfAKey
        }
        self.limit = limit
        client = WebClient(idle: 60, connections: connections)
    }

    /// The objects whose keys begin with that of the address, in the order of their keys.
    func objects(under prefix: S3Address) async throws -> [S3Address] {
        var keys: [String] = []
        while true {
            var query = [
                ("encoding-type", "url"), ("list-type", "2"), ("prefix", PercentCoding.encode(prefix.key)),
            ]
            if let last = keys.last { query.append(("start-after", PercentCoding.encode(last))) }
            let page = try S3Listing(try await get(prefix.bucket, key: "", query: query, upTo: 64 << 20), of: prefix)
            keys += page.keys
            guard page.isTruncated, !page.keys.isEmpty else { break }
        }
        return keys.map { S3Address(bucket: prefix.bucket, key: $0) }
    }

    func bytes(of object: S3Address) async throws -> [UInt8] {
        try await get(object.bucket, key: object.key, query: [], upTo: limit)
    }

    private func get(
        _ bucket: String, key: String, query: [(name: String, value: String)], upTo limit: Int
    ) async throws -> [UInt8] {
        let address = "\(S3Address(bucket: bucket, key: key))"
        let answer: WebClient.Answer
        do {
            // A message of an error may be longer than a small object.
            answer = try await client.send(
                request(bucket, key: key, query: query, upTo: limit), limit: max(limit, 1 << 16),
                attempts: Self.attempts)
        } catch WebError.tooLarge {
            throw S3Error.tooLarge(address, limit)
        } catch let error as WebError {
            throw S3Error.unreachable(address, error.localizedDescription)
        }
        switch answer.status {
        case 200, 206:
            guard answer.body.count <= limit else { throw S3Error.tooLarge(address, limit) }
            return answer.body
        // A range of an empty object cannot be satisfied.
        case 416: return []
        default:
            throw S3Error.status(address, answer.status, S3Listing.text(in: answer.body, "Message") ?? "")
        }
    }

    /// - Parameter query: sorted by name, with escaped values.
    func request(
        _ bucket: String, key: String, query: [(name: String, value: String)], upTo limit: Int
    ) throws(S3Error) -> WebRequest {
        let key = key.split(separator: "/", omittingEmptySubsequences: false).map { PercentCoding.encode(String($0)) }
            .joined(separator: "/")
        // The certificate for subdomains does not cover a bucket name with dots.
        let isSubdomain = endpoint == nil && !bucket.contains(".")
        let host: String
        if let endpoint {
            let port = endpoint.port == (endpoint.scheme == "http" ? 80 : 443) ? nil : endpoint.port
            let name = endpoint.host() ?? ""
            host = (name.contains(":") ? "[\(name)]" : name) + (port.map { ":\($0)" } ?? "")
        } else {
            host = (isSubdomain ? "\(bucket)." : "") + "s3.\(region).amazonaws.com"
        }
        let base = endpoint.map { $0.path().hasSuffix("/") ? String($0.path().dropLast()) : $0.path() } ?? ""
        let path = isSubdomain ? "/\(key)" : "\(base)/\(PercentCoding.encode(bucket))/\(key)"
        let text = query.isEmpty ? "" : "?" + query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        let address = "\(endpoint?.scheme ?? "https")://\(host)\(path)\(text)"
        guard let url = URL(string: address) else { throw .endpoint(address) }
        var request = WebRequest(url)
        // One byte more than allowed shows that an object is too large, and no answer is larger.
        if query.isEmpty { request.fields["Range"] = "bytes=0-\(limit)" }
        if let credentials {
            let fields = S3Signature(credentials: credentials, region: region).fields(
                host: host, path: path, query: query)
            for (name, value) in fields { request.fields[name] = value }
        }
        return request
    }
}

/// The reason why an object could not be read.
enum S3Error: Error, Equatable, CustomStringConvertible {
    case endpoint(String)
    case halfOfAKey
    case unreachable(String, String)
    case status(String, Int, String)
    case tooLarge(String, Int)
    case listing(String)

    /// Whether the error concerns only one photo.
    var isOfOnePhoto: Bool {
        switch self {
        case .status(_, let status, _): status == 404
        case .tooLarge: true
        case .endpoint, .halfOfAKey, .unreachable, .listing: false
        }
    }

    var description: String {
        switch self {
        case .endpoint(let address):
            "“\(address)” is not the address of an S3 store; AWS_ENDPOINT_URL is one such as https://s3.example."
        case .halfOfAKey: "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY have to be given together."
        case .unreachable(let address, let reason): "The store of \(address) is not reached: \(reason)"
        case .status(let address, let status, let message):
            "The store answered \(status) for \(address)" + (message.isEmpty ? "." : ": \(message)")
        case .tooLarge(let address, let limit): "\(address) has more than \(limit) bytes."
        case .listing(let address): "The store's list of \(address) cannot be read."
        }
    }
}
