extension ModelManifest {
    /// What the network reads.
    package struct Input: Codable, Sendable, Equatable {
        /// Tensor name.
        package let name: String
        /// `NCHW` or `NHWC`.
        package let layout: String
        /// Height and width in pixels.
        package let size: [Int]
        /// `RGB` or `BGR`.
        package let channels: String
        /// `x`, `x/D` or `x/D-S`, applied to levels 0–255; `x/127.5-1` gives −1…1.
        package let scale: String
        /// In words; the one way that is implemented is an antialiased triangle filter (see ``CropPolicy``).
        package let resize: String?

        package var height: Int { size[0] }
        package var width: Int { size[1] }

        /// Levels 0–255 that become 0, for each channel: `x/D-S` is (x − D·S) / D.
        var mean: [Float] {
            let terms = Self.terms(of: scale) ?? (divisor: 1, shift: 0)
            return [Float](repeating: terms.divisor * terms.shift, count: 3)
        }

        /// What levels are divided by after the mean is taken away, for each channel.
        var deviation: [Float] {
            [Float](repeating: Self.terms(of: scale)?.divisor ?? 1, count: 3)
        }

        /// D and S of `x/D-S`; nil when the text is neither that nor shorter.
        static func terms(of scale: String) -> (divisor: Float, shift: Float)? {
            let text = scale.filter { $0 != " " }
            guard text.hasPrefix("x") else { return nil }
            let parts = text.dropFirst().split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            guard let quotient = parts.first else { return nil }
            var divisor: Float = 1
            if !quotient.isEmpty {
                guard quotient.hasPrefix("/"), let number = Float(quotient.dropFirst()), number > 0 else { return nil }
                divisor = number
            }
            guard parts.count == 2 else { return (divisor, 0) }
            guard let shift = Float(parts[1]) else { return nil }
            return (divisor, shift)
        }
    }

    /// Finds what cannot work before the weights are read.
    ///
    /// - Throws: ``RecognitionError/brokenModel(name:reason:)`` naming the key.
    package func validate() throws(RecognitionError) {
        func fail(_ reason: String) -> RecognitionError { .brokenModel(name: name, reason: "manifest.json: " + reason) }
        guard !name.isEmpty, name.utf8.allSatisfy({ "abcdefghijklmnopqrstuvwxyz0123456789_-".utf8.contains($0) }) else {
            throw fail("\"name\" is to be made of a-z, 0-9, _ and -")
        }
        guard !file.isEmpty, !file.contains("/"), file != ".." else {
            throw fail("\"file\" is to be a file name inside the model's folder, not \"\(file)\"")
        }
        guard input.size.count == 2, input.size.allSatisfy({ (1...4096).contains($0) }) else {
            throw fail("\"input.size\" is to be [height, width], each 1 to 4096")
        }
        guard ["NCHW", "NHWC"].contains(input.layout) else { throw fail("\"input.layout\" is to be NCHW or NHWC") }
        guard ["RGB", "BGR"].contains(input.channels) else { throw fail("\"input.channels\" is to be RGB or BGR") }
        guard Input.terms(of: input.scale) != nil else {
            throw fail("\"input.scale\" is to be x, x/D or x/D-S, not \"\(input.scale)\"")
        }
        guard !heads.isEmpty else { throw fail("\"heads\" is empty") }
        for (head, classes) in heads {
            guard outputs[head] == "logits" else {
                throw fail("head \"\(head)\" needs an output \"\(head)\": \"logits\"")
            }
            guard !classes.labels.isEmpty else { throw fail("head \"\(head)\" has no labels") }
        }
        for (head, derived) in derivedHeads ?? [:] {
            guard heads[head] == nil else { throw fail("\"\(head)\" is both a head and a derived head") }
            guard let source = heads[derived.from] else {
                throw fail("derived head \"\(head)\" sums over \"\(derived.from)\", which is no head")
            }
            for label in derived.labels {
                guard label.classes.isEmpty == (label.status == .notYet) else {
                    throw fail("\"\(head).\(label.label)\": not_yet goes with no classes, and only that")
                }
                for item in label.classes
                where !source.labels.indices.contains(item.index) || source.labels[item.index] != item.label {
                    throw fail(
                        "\"\(head).\(label.label)\": class \(item.index) of \"\(derived.from)\" is not \"\(item.label)\""
                    )
                }
            }
        }
        for (head, numbers) in calibration ?? [:] {
            guard heads[head] != nil || derivedHeads?[head] != nil else {
                throw fail("\"calibration.\(head)\" is no head")
            }
            guard (numbers.temperature ?? 1) > 0 else {
                throw fail("\"calibration.\(head).temperature\" is to be above 0")
            }
            for threshold in [numbers.abstainBelow ?? 0, numbers.answerFrom ?? 0] where !(0...1).contains(threshold) {
                throw fail("thresholds of \"calibration.\(head)\" are to lie in 0…1")
            }
        }
    }
}
