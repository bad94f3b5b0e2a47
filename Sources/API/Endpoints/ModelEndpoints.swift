import HTTP
import Recognition

/// `GET /models` and `GET /models/{name}`: what can answer, and how.
struct ModelEndpoints: Sendable {
    let recogniser: Recogniser

    func register(in router: inout Router) {
        router.get("/models", .inline { try list($0) })
        router.get("/models/{name}", .inline { try model($0) })
    }

    private func list(_ request: Request) throws -> Response {
        try QueryReader(request).finish()
        let items = try recogniser.models.readyModels.map {
            ModelRepresentation(try recogniser.models.model($0).manifest, isDefault: $0 == recogniser.defaultModel)
        }
        return .bytes(try JSON.encode(Page(items: items, total: items.count, nextCursor: nil)), type: .json)
    }

    private func model(_ request: Request) throws -> Response {
        try QueryReader(request).finish()
        let name = request.parameters["name"] ?? ""
        let manifest = try recogniser.models.model(name).manifest
        return .bytes(
            try JSON.encode(
                ModelRepresentation(manifest, isDefault: name == recogniser.defaultModel, withLabels: true)),
            type: .json)
    }
}

/// A model as the interface shows it.
struct ModelRepresentation: Encodable {
    struct Input: Encodable {
        let width: Int
        let height: Int
        let layout: String
        let channels: String
    }

    struct Head: Encodable {
        let classes: Int
        let labels: [String]?
    }

    let name: String
    let version: String
    let ready = true
    let isDefault: Bool
    let sha256: String
    let input: Input
    let heads: [String: Head]
    let url: String

    enum CodingKeys: String, CodingKey {
        case name, version, ready, sha256, input, heads, url
        case isDefault = "default"
    }

    init(_ manifest: ModelManifest, isDefault: Bool, withLabels: Bool = false) {
        name = manifest.name
        version = manifest.version
        self.isDefault = isDefault
        sha256 = manifest.sha256
        input = Input(
            width: manifest.input.width, height: manifest.input.height, layout: manifest.input.layout,
            channels: manifest.input.channels)
        let trained = manifest.heads.mapValues { Head(classes: $0.labels.count, labels: withLabels ? $0.labels : nil) }
        let derived = (manifest.derivedHeads ?? [:]).mapValues { head in
            Head(classes: head.labels.count, labels: withLabels ? head.labels.map(\.label) : nil)
        }
        heads = trained.merging(derived) { trained, _ in trained }
        url = "/models/\(manifest.name)"
    }
}
