import Base

@testable import ModelImport

/// Writes small Core ML files for tests, field by field. `Model.proto` and its companions define the field numbers.
struct CoreMLFile {
    typealias Content = (inout ProtocolBufferWriter) -> Void

    var colourSpace = 20
    var width = 8
    var height = 8
    /// Whether the exact shape mapping of specification 4 applies. Otherwise shapes have rank 5.
    var isExact = false
    var layers: [Content] = []
    var labels: [String] = []
    var outputs = ["y"]
    var preprocessing: [Content] = []

    /// A layer with its parameters as the content of the field for its type.
    static func layer(
        _ type: CoreMLLayerType, name: String = "layer", from inputs: [String] = ["x"], to outputs: [String] = ["y"],
        _ parameters: @escaping Content = { _ in }
    ) -> Content {
        layer(number: type.rawValue, name: name, from: inputs, to: outputs, parameters)
    }

    /// A layer of a type that may have no translation.
    static func layer(
        number: Int, name: String, from inputs: [String] = ["x"], to outputs: [String] = ["y"],
        _ parameters: @escaping Content = { _ in }
    ) -> Content {
        { writer in
            writer.string(name, 1)
            for input in inputs { writer.string(input, 2) }
            for output in outputs { writer.string(output, 3) }
            writer.message(number, parameters)
        }
    }

    /// `WeightParams` of float32.
    static func weights(_ values: [Float]) -> Content {
        { $0.floats(values, 1) }
    }

    func network() -> ProtocolBufferWriter {
        var network = ProtocolBufferWriter()
        for layer in layers { network.message(1, layer) }
        for step in preprocessing { network.message(2, step) }
        if isExact {
            network.integer(1, 5)
            network.integer(1, 6)
        }
        if !labels.isEmpty {
            network.message(100) { vector in
                for label in labels { vector.string(label, 1) }
            }
        }
        return network
    }

    /// The description's field 2 and the network's field, as in `Model`.
    func write(to model: inout ProtocolBufferWriter) {
        model.integer(isExact ? 4 : 1, 1)
        model.message(2) { description in
            description.message(1) { input in
                input.string("x", 1)
                input.message(3) { type in
                    type.message(4) { image in
                        image.integer(width, 1)
                        image.integer(height, 2)
                        image.integer(colourSpace, 3)
                    }
                }
            }
            for name in outputs {
                description.message(10) { output in
                    output.string(name, 1)
                    output.message(3) { type in
                        if labels.isEmpty { type.message(5) { _ in } } else { type.message(6) { _ in } }
                    }
                }
            }
            if !labels.isEmpty { description.string(outputs[0], 12) }
            description.message(100) { metadata in
                metadata.string("A test", 1)
                metadata.string("Somebody", 3)
                metadata.string("MIT", 4)
            }
        }
        model.data(network().bytes, labels.isEmpty ? 500 : 403)
    }

    var bytes: [UInt8] {
        var model = ProtocolBufferWriter()
        write(to: &model)
        return model.bytes
    }

    /// A pipeline of this network and further stages, given as complete `Model` messages.
    func pipeline(_ stages: [Content]) -> [UInt8] {
        var model = ProtocolBufferWriter()
        model.integer(3, 1)
        model.message(202) { pipeline in
            pipeline.message(1) { write(to: &$0) }
            for stage in stages { pipeline.message(1, stage) }
        }
        return model.bytes
    }
}

extension ProtocolBufferWriter {
    /// A repeated float, packed.
    mutating func floats(_ values: [Float], _ number: Int) {
        data(values.flatMap { withUnsafeBytes(of: $0.bitPattern.littleEndian, Array.init) }, number)
    }
}
