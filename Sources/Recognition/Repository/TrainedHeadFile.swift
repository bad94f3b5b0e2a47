package import FoundationEssentials

/// `head.json`: only the head of a trained version, for use with features that exist already.
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

    /// Reads the file in a model's folder. Nil if there is none. Blocks.
    package init?(in folder: String) {
        guard let data = FileManager.default.contents(atPath: "\(folder)/\(Self.name)"),
            let file = try? Self.decoder.decode(Self.self, from: data)
        else { return nil }
        self = file
    }
}
