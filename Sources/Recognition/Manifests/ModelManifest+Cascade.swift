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
        /// Head → a network that knows the classes of this head alone; nil: there are none.
        package let specialists: [String: Specialist]?

        /// A network for one head. It reads the same input, and is asked about the photos of which that head would
        /// answer and is not sure, after the second network.
        package struct Specialist: Codable, Sendable, Equatable {
            /// A file name inside the folder. Its output has the head's name.
            package let file: String
            /// Lower-case hexadecimal SHA-256 of that file.
            package let sha256: String
            /// Arithmetic of this network; nil: `f32`.
            package let precision: ModelManifest.Precision?
            /// Probability of the head's first label, 0…1, below which this network is asked.
            package let askedBelow: Float
            /// What the cascade's logits and this network's are multiplied by before they are added.
            package let weights: [Float]
            package let licence: String?
            /// Where the network is from.
            package let origin: String?

            private enum CodingKeys: String, CodingKey {
                case file, sha256, precision, weights, licence, origin
                case askedBelow = "asked_below"
            }
        }

        private enum CodingKeys: String, CodingKey {
            case file, sha256, precision, weights, licence, origin, specialists
            case askedBelow = "asked_below"
        }

        /// Outputs that both networks have, sorted.
        package var outputs: [String] { weights.keys.sorted() }
        /// The second network's file and those of the specialists, by head.
        var files: [String] { [file] + specialistsByHead.map(\.value.file) }
        /// SHA-256 of ``files``.
        package var digests: [String] { [sha256] + specialistsByHead.map(\.value.sha256) }
        var specialistsByHead: [(key: String, value: Specialist)] { (specialists ?? [:]).sorted { $0.key < $1.key } }

        /// What cannot work, in words; nil where nothing is wrong.
        ///
        /// - Parameter heads: names of the model's heads.
        func problem(heads: Set<String>, outputs: Set<String>) -> String? {
            guard Self.isFileName(file) else {
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
            for (head, specialist) in specialistsByHead {
                let key = "cascade.specialists.\(head)"
                guard heads.contains(head), outputs.contains(head) else {
                    return "\"\(key)\" is to be named after a head whose output has the same name"
                }
                guard Self.isFileName(specialist.file) else {
                    return "\"\(key).file\" is to be a file name inside the model's folder, not \"\(specialist.file)\""
                }
                guard (0...1).contains(specialist.askedBelow) else { return "\"\(key).asked_below\" is to lie in 0…1" }
                guard specialist.weights.count == 2, specialist.weights.allSatisfy(\.isFinite) else {
                    return "\"\(key).weights\" is to be two numbers, the cascade's and the specialist's"
                }
            }
            return nil
        }

        private static func isFileName(_ name: String) -> Bool { !name.isEmpty && !name.contains("/") && name != ".." }
    }
}
