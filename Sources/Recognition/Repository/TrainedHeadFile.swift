package import FoundationEssentials

/// `head.json`: the head of a trained version alone, for whoever has the features already.
package struct TrainedHeadFile: Codable, Sendable {
    package static let name = "head.json"

    package static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    /// `name@version` of the model whose features it reads.
    package let base: String
    package let head: TrainedHead

    package init(base: String, head: TrainedHead) {
        self.base = base
        self.head = head
    }

    /// That of a model's folder; nil where it keeps none. Blocks.
    package init?(in folder: String) {
        guard let data = FileManager.default.contents(atPath: "\(folder)/\(Self.name)"),
            let file = try? Self.decoder.decode(Self.self, from: data)
        else { return nil }
        self = file
    }
}
