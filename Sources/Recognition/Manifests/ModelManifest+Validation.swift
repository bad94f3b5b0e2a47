import Imaging
import ModelImport

extension ModelManifest {
    /// Finds problems before the weights are read.
    ///
    /// - Throws: ``RecognitionError/brokenModel(name:fault:reason:)`` that names the key.
    package func validate() throws(RecognitionError) {
        func fail(_ reason: String) -> RecognitionError {
            .brokenModel(name: name, fault: .manifest, reason: "manifest.json: " + reason)
        }
        guard ModelReference.isName(name) else { throw fail("\"name\" is to be made of a-z, 0-9, _ and -") }
        guard Self.isFileName(file) else {
            throw fail("\"file\" is to be a file name inside the model's folder, not \"\(file)\"")
        }
        guard input.size.count == 2, input.size.allSatisfy({ (1...4096).contains($0) }) else {
            throw fail("\"input.size\" is to be [height, width], each 1 to 4096")
        }
        guard ["NCHW", "NHWC"].contains(input.layout) else { throw fail("\"input.layout\" is to be NCHW or NHWC") }
        guard Input.terms(of: input.scale) != nil else {
            throw fail("\"input.scale\" is to be x, x/D or x/D-S, not \"\(input.scale)\"")
        }
        for values in [input.channelMean, input.channelDeviation] {
            guard let values else { continue }
            guard values.count == input.channels.count, values.allSatisfy(\.isFinite) else {
                throw fail(
                    "\"input.mean\" and \"input.std\" are to have \(input.channels.count) numbers, one a channel")
            }
        }
        guard input.channelDeviation?.allSatisfy({ $0 != 0 }) ?? true else { throw fail("\"input.std\" is never 0") }
        guard (1...8192).contains(input.shortSide ?? 1) else { throw fail("\"input.short_side\" is to be 1 to 8192") }
        let picture = input.decodeRequest(crop: .center)
        guard max(picture.width, picture.height) <= 8192 else {
            throw fail("\"input.short_side\" is to make pictures of at most 8192 pixels a side")
        }
        guard outputTensors.count <= ModelBounds.ports else {
            throw fail("it names \(outputTensors.count) outputs; at most \(ModelBounds.ports) are served")
        }
        guard task != .classification || !heads.isEmpty else { throw fail("\"heads\" is empty") }
        guard weights.map(Self.isFileName) ?? true else {
            throw fail("\"weights\" is to be a file name inside the model's folder")
        }
        if let problem = detection?.problem { throw fail(problem) }
        if let problem = regions?.problem { throw fail(problem) }
        if let problem = cascade?.problem(heads: Set(heads.keys), outputs: Set(outputTensors)) { throw fail(problem) }
        for (head, classes) in heads {
            guard !classes.labels.isEmpty else { throw fail("head \"\(head)\" has no labels") }
            guard classes.labels.count <= ModelBounds.classes else {
                throw fail(
                    "head \"\(head)\" has \(classes.labels.count) labels; at most \(ModelBounds.classes) are served")
            }
            guard classes.background.map(classes.labels.indices.contains) ?? true else {
                throw fail("\"background\" of head \"\(head)\" is not one of its \(classes.labels.count) classes")
            }
            for label in (classes.status ?? [:]).keys.sorted() where !classes.labels.contains(label) {
                throw fail("\"status\" of head \"\(head)\" names \"\(label)\", which is not one of its labels")
            }
            guard (classes.scale ?? 1) > 0 else { throw fail("\"scale\" of head \"\(head)\" is to be above 0") }
        }
        for (head, derived) in derivedHeads ?? [:] {
            guard heads[head] == nil else { throw fail("\"\(head)\" is both a head and a derived head") }
            guard let source = heads[derived.from] else {
                throw fail("derived head \"\(head)\" sums over \"\(derived.from)\", which is not a head")
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
        for label in people ?? [] where heads["objects"]?.labels.contains(label) != true {
            throw fail("\"people\" names \"\(label)\", which is not a label of the head \"objects\"")
        }
        for (head, numbers) in calibration ?? [:] {
            guard heads[head] != nil || derivedHeads?[head] != nil else {
                throw fail("\"calibration.\(head)\" is not a head")
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

extension ModelManifest {
    /// Whether a text names a file inside the model's folder.
    static func isFileName(_ text: String) -> Bool { !text.isEmpty && !text.contains("/") && text != ".." }

    /// The output tensors that the engine must return, sorted.
    package var outputTensors: [String] {
        Set(heads.map { $0.value.output ?? $0.key }).union(detection.map { [$0.output] } ?? []).union(outputs.keys)
            .sorted()
    }
}
