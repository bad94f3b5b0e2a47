import Base
internal import COpenSSL

/// The server's part of the opening handshake (RFC 6455 §4.2). ``SiteProtection`` checks the origin, for WebSockets as
/// for all other requests that may change something.
package struct WebSocketHandshake: Sendable {
    /// The reason why a request does not open a WebSocket.
    package enum Failure: Hashable, ProblemConvertible {
        /// The method is not GET.
        case method
        /// `Upgrade: websocket` or `Connection: Upgrade` is missing.
        case noUpgrade
        /// Sec-WebSocket-Version is not 13.
        case version(String?)
        /// Sec-WebSocket-Key is not 16 bytes in base64.
        case key

        package var problem: ProblemDetails {
            switch self {
            case .method:
                ProblemDetails(
                    .methodNotAllowed, detail: "A WebSocket is opened by GET.", headers: ["Allow": "GET"])
            case .noUpgrade:
                ProblemDetails(
                    .upgradeRequired, detail: "This is a WebSocket: send Upgrade: websocket and Connection: Upgrade.",
                    headers: ["Upgrade": "websocket", "Connection": "Upgrade"])
            case .version:
                ProblemDetails(
                    .upgradeRequired, detail: "The WebSocket version spoken here is 13.",
                    headers: ["Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"])
            case .key:
                ProblemDetails(.badRequest, detail: "Sec-WebSocket-Key must be 16 bytes in base64.")
            }
        }
    }

    package let deflate: WebSocketDeflate?
    private let accept: String
    private let limits: WebSocketLimits?

    package static func isUpgrade(_ request: Request) -> Bool {
        request.headers.lists("websocket", in: "Upgrade") && request.headers.lists("upgrade", in: "Connection")
    }

    /// Checks the request and agrees on compression.
    /// - Parameter limits: nil takes those of the ``ServerConfiguration``.
    package init(_ request: Request, limits: WebSocketLimits? = nil) throws(Failure) {
        let headers = request.headers
        guard Self.isUpgrade(request) else { throw .noUpgrade }
        guard request.method == .get else { throw .method }
        let versions = headers.values(for: "Sec-WebSocket-Version")
        guard versions == ["13"] else { throw .version(versions.first) }
        let keys = headers.values(for: "Sec-WebSocket-Key")
        guard keys.count == 1, Self.isKey(keys[0]) else { throw .key }
        deflate = WebSocketDeflate.negotiate(headers)
        accept = Self.accept(keys[0])
        self.limits = limits
    }

    /// The 101 response. After its head the connection speaks WebSocket.
    package var response: Response {
        var headers: HeaderFields = [
            "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": accept,
        ]
        if let deflate { headers.append(deflate.description, for: "Sec-WebSocket-Extensions") }
        return Response(status: .switchingProtocols, headers: headers)
    }

    /// Makes the session that begins after the response.
    /// - Parameters:
    ///   - serverLimits: the limits for a route that sets none of its own.
    ///   - defersClose: whether a close is answered only by a call of ``WebSocketSession/close(_:reason:)``.
    package func makeSession(
        serverLimits: WebSocketLimits = WebSocketLimits(), defersClose: Bool = false
    ) -> WebSocketSession {
        WebSocketSession(deflate: deflate, limits: limits ?? serverLimits, defersClose: defersClose)
    }

    /// Base64 of the SHA-1 of the key and the standard's GUID (§4.2.2).
    package static func accept(_ key: String) -> String {
        let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
        var digest = [UInt8](repeating: 0, count: 20)
        EVP_Digest(text, text.count, &digest, nil, EVP_sha1(), nil)
        var encoded = [UInt8](repeating: 0, count: 29)
        let count = EVP_EncodeBlock(&encoded, digest, CInt(digest.count))
        return String(decoding: encoded.prefix(Int(count)), as: UTF8.self)
    }

    /// Whether the key is 22 digits of base64 and "==".
    private static func isKey(_ key: String) -> Bool {
        let bytes = Array(key.utf8)
        guard bytes.count == 24, bytes.suffix(2).elementsEqual("==".utf8) else { return false }
        return bytes.dropLast(2).allSatisfy { $0.isASCIIAlphanumeric || "+/".utf8.contains($0) }
    }
}
