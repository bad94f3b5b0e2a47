import Base

/// An ONNX file that is read, and written again with another graph. Field numbers: onnx.proto, `ModelProto`,
/// `GraphProto` and `NodeProto`.
struct ONNXFile: Sendable {
    struct Node {
        let field: WireField
        let operation: String
        let inputs: [String]
        let outputs: [String]
        let attributes: [ProtocolBufferMessage]

        /// Whether the node has a subgraph, which may use any value of the graph.
        var hasSubgraph: Bool { attributes.contains { $0.contains(6) || $0.contains(11) } }
    }

    private let model: ProtocolBufferMessage
    let graph: ProtocolBufferMessage

    init(_ file: [UInt8]) throws(ONNXError) {
        let graph: ProtocolBufferMessage?
        do throws(WireFormatError) {
            model = try ProtocolBufferMessage(file)
            graph = try model.message("graph", 7)
        } catch {
            throw ONNXError("the base is not an ONNX file: \(error)")
        }
        guard let graph else { throw ONNXError("there is no graph") }
        self.graph = graph
    }

    /// In the order of execution.
    var nodes: [Node] {
        get throws(WireFormatError) {
            try graph.occurrences(of: 1).map { field throws(WireFormatError) in
                let node = try graph.nested("node", field)
                return Node(
                    field: field, operation: try node.string("op_type", 4), inputs: try node.strings("input", 1),
                    outputs: try node.strings("output", 2), attributes: try node.messages("attribute", 5))
            }
        }
    }

    /// The names of the network's outputs.
    var outputs: [String] {
        get throws(WireFormatError) {
            try graph.messages("output", 12).map { output throws(WireFormatError) in try output.string("name", 1) }
        }
    }

    /// The file with another graph. The rest of the file stays as it is.
    ///
    /// - Parameters:
    ///   - fields: the fields that stay in the graph.
    ///   - replacements: the bytes of fields in the place of those that begin at these offsets.
    ///   - parts: the bytes of further fields. Weights are nearly the whole file, so they are copied only once.
    func bytes(
        keeping fields: [WireField], replacing replacements: [Int: [UInt8]] = [:], adding parts: [[UInt8]] = []
    ) -> [UInt8] {
        let size =
            fields.reduce(0) { $0 + (replacements[$1.offset]?.count ?? $1.extent.count) }
            + parts.reduce(0) { $0 + $1.count }
        var writer = ProtocolBufferWriter()
        writer.reserve(size + 1024)
        for field in model.fields where field.number != 7 { writer.raw(model.bytes[field.extent]) }
        writer.header(7, byteCount: size)
        for field in fields {
            if let replacement = replacements[field.offset] {
                writer.raw(replacement)
            } else {
                writer.raw(model.bytes[field.extent])
            }
        }
        for part in parts { writer.raw(part) }
        return writer.bytes
    }
}

/// The reason why an ONNX file cannot be used for its purpose.
package struct ONNXError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The reason as a clause that fits after "because".
    package let description: String

    init(_ description: String) { self.description = description }
}
