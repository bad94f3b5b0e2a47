extension ModelManifest {
    /// A second network that looks at the photos of which the first is not sure. It reads the same input.
    package struct Cascade: Codable, Sendable, Equatable {
        /// Weights of the second network, a file name inside the folder.
        package let file: String
        /// Lower-case hexadecimal SHA-256 of that file.
        package let sha256: String
        /// Arithmetic of the second network; nil: `f32`.
        package let precision: ModelManifest.Precision?
        /// Head → probability of its first label, 0…1, below which the second network is asked. It is asked where
        /// `presence` is less sure than its own number, or the head that would answer than its own; a head without a
        /// number is always sure enough. See `CascadeRule`.
        package let askedBelow: [String: Float]
        /// Output → what the first network's values and the second's are multiplied by before they are added. Outputs
        /// that are not named are the first network's alone.
        package let weights: [String: [Float]]
        package let licence: String?
        /// Where the second network is from.
        package let origin: String?

        private enum CodingKeys: String, CodingKey {
            case file, sha256, precision, weights, licence, origin
            case askedBelow = "asked_below"
        }

        /// Outputs that both networks have, sorted.
        package var outputs: [String] { weights.keys.sorted() }

        /// What cannot work, in words; nil where nothing is wrong.
        ///
        /// - Parameter heads: names of the model's heads.
        func problem(heads: Set<String>, outputs: Set<String>) -> String? {
            guard !file.isEmpty, !file.contains("/"), file != ".." else {
                return "\"cascade.file\" is to be a file name inside the model's folder, not \"\(file)\""
            }
            for (head, limit) in askedBelow.sorted(by: { $0.key < $1.key }) {
                guard heads.contains(head) else { return "\"cascade.asked_below.\(head)\" is no head" }
                guard (0...1).contains(limit) else { return "\"cascade.asked_below.\(head)\" is to lie in 0…1" }
            }
            guard !weights.isEmpty else { return "\"cascade.weights\" names no output" }
            for (output, factors) in weights.sorted(by: { $0.key < $1.key }) {
                guard outputs.contains(output) else { return "\"cascade.weights.\(output)\" is no output" }
                guard factors.count == 2, factors.allSatisfy(\.isFinite) else {
                    return "\"cascade.weights.\(output)\" is to be two numbers, the first network's and the second's"
                }
            }
            return nil
        }
    }
}
