import Foundation
import HTTP
import Security

/// `/session`: the web page signs in with a key, asks who is signed in, and signs out.
struct SessionEndpoints: Sendable {
    let access: AccessControl

    func register(in router: inout Router) {
        router.get("/session", .inlineWithoutQuery { try session($0) })
        router.post("/session", .withoutQuery { try await signIn($0) })
        router.delete("/session", .withoutQuery { try await signOut($0) })
    }

    /// The caller. Being nobody is not an error, so that a page can ask before it shows anything.
    private struct Representation: Encodable {
        let keyRequired: Bool
        var name: String?
        var role: Role?
        /// The end of the session; nil for a key without a session.
        var expiresAt: Date?
    }

    private func session(_ request: Request) throws -> Response {
        var answer = Representation(keyRequired: access.requiresKey)
        switch access.caller(of: request) {
        case .nobody: if !access.requiresKey { answer.role = .admin }
        case .wrongKey: throw access.wrongKey(request)
        case .key(let key, let session):
            answer.name = key.name
            answer.role = key.role
            answer.expiresAt = session?.expires
        }
        return try Response.json(answer)
    }

    /// Reads `{"key": "…"}` and begins a session.
    private func signIn(_ request: Request) async throws -> Response {
        struct SignIn: Decodable {
            let key: String
        }
        let signIn = try await request.decode(SignIn.self, form: #"{"key": "…"}"#)
        let session = try access.signIn(signIn.key.trimmingCharacters(in: .whitespacesAndNewlines), request)
        return try .json(
            Representation(
                keyRequired: true, name: session.key.name, role: session.key.role, expiresAt: session.expires),
            headers: ["Set-Cookie": SessionCookie.field(session.text, seconds: access.sessionLifetime, for: request)])
    }

    private func signOut(_ request: Request) async throws -> Response {
        if case .key(_, let session?) = access.caller(of: request) { try await access.signOut(session) }
        return Response(
            status: .noContent,
            headers: ["Set-Cookie": SessionCookie.field("", seconds: 0, for: request), "Cache-Control": "no-store"])
    }
}
