import Foundation
package import HTTP
package import Security

/// `/keys`: an administrator lists, makes, replaces and removes keys, as with `menagerie keys` on the machine. The
/// first key is made there, so that nobody can lock the others out of an open service.
struct KeyEndpoints: Sendable {
    let access: AccessControl

    func register(in router: inout Router) {
        router.get("/keys", .inline { try list($0) })
        router.post("/keys", .withoutQuery { try await make($0) })
        router.post("/keys/{name}/rotate", .withoutQuery { try await rotate($0) })
        router.delete("/keys/{name}", .withoutQuery { try await remove($0) })
    }

    private struct Representation: Encodable {
        let name: String
        let role: Role
        let createdAt: Date
        /// Whether the request itself used this key.
        let own: Bool
    }

    private struct Made: Encodable {
        let name: String
        let role: Role
        /// The key's secret, which is shown once and stored nowhere.
        let key: String
    }

    private func list(_ request: Request) throws -> Response {
        let (offset, limit) = try QueryReader.pageOfShortList("keys", request)
        let keys = try access.keyStore().keys
        var own: String?
        if case .key(let key, _) = access.caller(of: request) { own = key.name }
        let page = Page(of: keys, from: offset, limit: limit, list: "keys") {
            Representation(name: $0.name, role: $0.role, createdAt: $0.createdAt, own: $0.name == own)
        }
        return try .json(page)
    }

    /// Reads `{"name": "…", "role": "…"}` and makes a key.
    private func make(_ request: Request) async throws -> Response {
        let keys = try access.keyStore().repository
        let form = #"{"name": "Anna's phone", "role": "user"}; a role is one of "# + Role.list
        let members = try JSON.members(
            try await request.body.collect(upTo: 4096), known: ["name", "role"], example: form)
        guard let name = members["name"] as? String, let role = (members["role"] as? String).flatMap(Role.init) else {
            throw ProblemDetails.malformedBody("The body has to be JSON of the form \(form).")
        }
        let secret = try await keys.add(name, role: role)
        await applyNewKey()
        return try .json(Made(name: name, role: role, key: secret), .created)
    }

    private func rotate(_ request: Request) async throws -> Response {
        let keys = try access.keyStore()
        let name = request.parameters["name"] ?? ""
        let secret = try await keys.repository.rotate(name)
        await applyNewKey()
        guard let key = keys.keys.first(where: { $0.name == name }) else {
            throw ProblemDetails.notFound("key", id: name)
        }
        return try .json(Made(name: name, role: key.role, key: secret))
    }

    private func remove(_ request: Request) async throws -> Response {
        let keys = try access.keyStore().repository
        let name = request.parameters["name"] ?? ""
        try await keys.remove(name, keepingAnAdmin: true)
        try await access.reloadKeys()
        return Response(status: .noContent, headers: ["Cache-Control": "no-store"])
    }

    /// Applies a new key here before the answer. If the keys cannot be read just now, the service does so a moment later:
    /// the answer has the only copy of the secret.
    private func applyNewKey() async { _ = try? await access.reloadKeys() }
}

extension KeyError: ProblemConvertible {
    package var problem: ProblemDetails {
        switch self {
        case .invalidName: .malformedBody(description)
        case .unknownName(let name): .notFound("key", id: name)
        case .nameTaken(let name):
            ProblemDetails(
                .conflict, detail: "There is a key “\(name.prefix(80))” already: rotate it, or choose another name.")
        case .lastAdmin, .tooMany: ProblemDetails(.conflict, detail: description)
        case .missing, .unreadable, .malformed, .unwritable:
            ProblemDetails(
                .serviceUnavailable, detail: "The keys cannot be changed just now.", headers: ["Retry-After": "1"])
        }
    }
}
