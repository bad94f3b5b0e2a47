extension ModelManifest {
    /// A second network for photos about which the first is uncertain. It reads the same input.
    package struct Cascade: Codable, Sendable, Equatable {
        /// The weights of the second network, a file name inside the folder.
        package let file: String
        /// The SHA-256 of that file in lower-case hexadecimal.
        package let sha256: String
        /// The arithmetic of the second network. Nil means `f32`.
        package let precision: ModelManifest.Precision?
        /// For each head the probability of its first label, 0…1, below which the second network is asked. The values
        /// of `presence` and of the head that would answer count. A head without a value is always certain enough. See
        /// `CascadeEngine`.
        package let askedBelow: [String: Float]
        /// For each output the factors of the first and the second network's values before they are added. Outputs
        /// without factors come from the first network alone.
        package let weights: [String: [Float]]
        package let licence: String?
        /// The source of the second network.
        package let origin: String?
        /// Networks that know the classes of a single head. Nil if there are none.
        package let specialists: [String: Specialist]?

        /// A network for one head. It reads the same input. It is asked if the head would answer and is uncertain. See
        /// `CascadeEngine`.
        package struct Specialist: Codable, Sendable, Equatable {
            /// A file name inside the folder. The network's output has the head's name.
            package let file: String
            /// The SHA-256 of that file in lower-case hexadecimal.
            package let sha256: String
            /// The arithmetic of this network. Nil means `f32`.
            package let precision: ModelManifest.Precision?
            /// The probability of the head's first label, 0…1, below which this network is asked.
            package let askedBelow: Float
            /// The probability of the head's first label, 0…1, from which the second network is not asked after this one.
            package let sureFrom: Float
            /// The factors of the first network's logits and of this network's, where the second is not asked.
            package let firstWeights: [Float]
            /// The factors of the first and second network's joined logits and of this network's before they are added.
            package let weights: [Float]
            package let licence: String?
            /// The source of the network.
            package let origin: String?

            private enum CodingKeys: String, CodingKey {
                case file, sha256, precision, weights, licence, origin
                case askedBelow = "asked_below"
                case sureFrom = "sure_from"
                case firstWeights = "first_weights"
            }
        }

        private enum CodingKeys: String, CodingKey {
            case file, sha256, precision, weights, licence, origin, specialists
            case askedBelow = "asked_below"
        }

        /// The outputs that both networks have, sorted.
        package var outputs: [String] { weights.keys.sorted() }
        /// The files of the second network and of the specialists, by head.
        var files: [String] { [file] + specialistsByHead.map(\.value.file) }
        /// The SHA-256 of the second network and of the specialists, in the order of `files`.
        package var digests: [String] { [sha256] + specialistsByHead.map(\.value.sha256) }
        var specialistsByHead: [(key: String, value: Specialist)] { (specialists ?? [:]).sorted { $0.key < $1.key } }

        /// The problem that makes the cascade unusable, in words. Nil if there is none.
        ///
        /// - Parameter heads: the names of the model's heads.
        func problem(heads: Set<String>, outputs: Set<String>) -> String? {
            guard ModelManifest.isFileName(file) else {
                return "\"cascade.file\" is to be a file name inside the model's folder, not \"\(file)\""
            }
            for (head, limit) in askedBelow.sorted(by: { $0.key < $1.key }) {
                guard heads.contains(head) else { return "\"cascade.asked_below.\(head)\" is not a head" }
                guard (0...1).contains(limit) else { return "\"cascade.asked_below.\(head)\" is to lie in 0…1" }
            }
            guard !weights.isEmpty else { return "\"cascade.weights\" names no output" }
            for (output, factors) in weights.sorted(by: { $0.key < $1.key }) {
                guard outputs.contains(output) else { return "\"cascade.weights.\(output)\" is not an output" }
                guard factors.count == 2, factors.allSatisfy(\.isFinite) else {
                    return "\"cascade.weights.\(output)\" is to be two numbers, the first network's and the second's"
                }
            }
            for (head, specialist) in specialistsByHead {
                let key = "cascade.specialists.\(head)"
                guard heads.contains(head), outputs.contains(head) else {
                    return "\"\(key)\" is to be named after a head whose output has the same name"
                }
                guard ModelManifest.isFileName(specialist.file) else {
                    return "\"\(key).file\" is to be a file name inside the model's folder, not \"\(specialist.file)\""
                }
                for (name, limit) in [("asked_below", specialist.askedBelow), ("sure_from", specialist.sureFrom)] {
                    guard (0...1).contains(limit) else { return "\"\(key).\(name)\" is to lie in 0…1" }
                }
                for (name, factors, whose) in [
                    ("weights", specialist.weights, "the cascade's"),
                    ("first_weights", specialist.firstWeights, "the first network's"),
                ] {
                    guard factors.count == 2, factors.allSatisfy(\.isFinite) else {
                        return "\"\(key).\(name)\" is to be two numbers, \(whose) and the specialist's"
                    }
                }
            }
            return nil
        }
    }
}
