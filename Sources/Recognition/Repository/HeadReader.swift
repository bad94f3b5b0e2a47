import COpenVINO
import FoundationEssentials

/// Finds out the meaning of a network's outputs, by their shapes and by its answer to a picture of noise.
struct HeadReader {
    let folder: String
    let file: String
    let weights: ModelWeights
    let input: ModelManifest.Input
    /// The class names, if the file contains them.
    var labels: [String] = []
    /// The output that the file itself declares as probabilities.
    var probabilities: String?

    struct Result {
        var task = ModelManifest.Task.classification
        var heads: [String: ModelManifest.Head] = [:]
        var outputs: [String: String] = [:]
        var notes: [String] = []
    }

    func read() throws(RecognitionError) -> Result {
        let ports = try NetworkPorts(weights).outputs
        let names = ports.compactMap(\.name)
        guard !ports.isEmpty else { throw .engine("the network has no output") }
        guard names.count == ports.count else { throw .engine("an output of the network has no name") }
        let values = try TrialRun(weights, input: input, outputs: names).values
        guard values.contains(where: { !$0.isEmpty }) else { throw .engine("the network's outputs have no values") }

        var result = Result()
        for (index, port) in ports.enumerated() {
            let name = names[index]
            // The softmax of one logit is always 1. One value is an answer if it is a probability already.
            let isAnswer = values[index].count > 1 || values[index].contains { (0...1).contains($0) }
            let isVector = port.shapeOfOne.filter { $0 != 1 }.count <= 1 && isAnswer
            if isVector, probabilities.map({ $0 == name }) ?? true {
                let head = head(name, values[index], type: port.type, &result.notes)
                result.heads[ports.count == 1 ? Self.headName(values[index].count) : name] = head
            } else {
                result.outputs[name] = "shape \(port.shape.map { $0.map(String.init) ?? "?" }.joined(separator: "×"))"
            }
        }
        if result.heads.isEmpty, values.contains(where: { $0.count > 1 }) {
            result.task = .detection
        } else if result.heads.isEmpty {
            result.task = .features
            result.notes.append(
                "the output is one value outside 0…1: end the network in a sigmoid, or give it two classes")
        }
        return result
    }

    /// ImageNet's thousand classes get the head name of the embedded model.
    private static func headName(_ count: Int) -> String { count == 1000 || count == 1001 ? "objects" : "classes" }

    private func head(
        _ output: String, _ values: [Float], type: UInt32, _ notes: inout [String]
    ) -> ModelManifest.Head {
        var interpretation = ModelManifest.Head.Interpretation.logits
        var (scale, zero): (Float?, Float?) = (nil, nil)
        let sum = values.reduce(0, +)
        if type == UInt32(U8.rawValue) || type == UInt32(I8.rawValue) {
            interpretation = .quantised
            scale = 1 / 256
            zero = type == UInt32(U8.rawValue) ? 0 : -128
        } else if probabilities == output || values.count == 1
            || values.allSatisfy({ (-1e-4...1.0001).contains($0) }) && abs(sum - 1) < 0.02
        {
            interpretation = .probabilities
        }
        if !labels.isEmpty {
            return ModelManifest.Head(
                labels: labels, output: output, interpretation: interpretation, scale: scale, zeroPoint: zero)
        }
        let found = LabelsFile.beside(file, in: folder, count: values.count)
        let assumed = found == nil ? ImageNetLabels.of(count: values.count) : nil
        if assumed != nil {
            notes.append(
                "\(values.count) classes without names are taken to be those of ImageNet; otherwise put labels.txt "
                    + "beside the file")
        } else if found == nil {
            notes.append("\(values.count) classes without names: put labels.txt beside the file")
        }
        let labels = found?.labels ?? assumed ?? (0..<values.count).map { "class_\($0)" }
        return ModelManifest.Head(
            labels: labels, labelsFile: found?.file, classes: values.count, output: output,
            interpretation: interpretation,
            background: [0, labels.count - 1].first { LabelsFile.isBackground(labels[$0]) }, scale: scale,
            zeroPoint: zero)
    }
}
