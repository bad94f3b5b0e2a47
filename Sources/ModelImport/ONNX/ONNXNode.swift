import Base

/// The value of a node's attribute. Field and type numbers: onnx.proto, `AttributeProto`.
enum ONNXAttribute: Sendable, Equatable {
    case float(Float)
    case integer(Int)
    case string(String)
    case integers([Int])

    func write(named name: String, to writer: inout ProtocolBufferWriter) {
        writer.string(name, 1)
        switch self {
        case .float(let value):
            writer.float(value, 2)
            writer.integer(1, 20)
        case .integer(let value):
            writer.integer(value, 3)
            writer.integer(2, 20)
        case .string(let value):
            writer.string(value, 4)
            writer.integer(3, 20)
        case .integers(let values):
            writer.integers(values, 8)
            writer.integer(7, 20)
        }
    }
}

/// One operation of an ONNX graph.
struct ONNXNode: Sendable, Equatable {
    let operation: String
    let name: String
    /// The names of values. An empty name is an optional input that is left out.
    let inputs: [String]
    let outputs: [String]
    let attributes: [String: ONNXAttribute]

    func write(to writer: inout ProtocolBufferWriter) {
        for input in inputs { writer.string(input, 1) }
        for output in outputs { writer.string(output, 2) }
        writer.string(name, 3)
        writer.string(operation, 4)
        // The order is fixed, so that a model always gives the same bytes.
        for (name, attribute) in attributes.sorted(by: { $0.key < $1.key }) {
            writer.message(5) { attribute.write(named: name, to: &$0) }
        }
    }
}
