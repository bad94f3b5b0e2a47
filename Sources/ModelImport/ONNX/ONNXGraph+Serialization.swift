import Base

extension ONNXGraph {
    /// The bytes of an ONNX file. Field numbers: onnx.proto, `ModelProto`, `GraphProto` and `ValueInfoProto`.
    ///
    /// - Parameter name: the name of the graph.
    func serialized(name: String) -> [UInt8] {
        var structure = ProtocolBufferWriter()
        for node in nodes { structure.message(1) { node.write(to: &$0) } }
        structure.string(name, 2)
        for input in inputs { structure.value(input.name, input.dimensions, 11) }
        for output in outputs { structure.value(output.name, output.dimensions, 12) }

        // Weights are nearly the whole file, so they are copied only once, straight to their place.
        var headers: [[UInt8]] = []
        var graphSize = structure.bytes.count
        for (name, tensor) in constants {
            headers.append(tensor.header(named: name))
            graphSize += headers[headers.count - 1].count + tensor.data.count
        }

        var model = ProtocolBufferWriter()
        model.reserve(graphSize + 256)
        model.integer(Self.intermediateRepresentation, 1)
        model.string("menagerie", 2)
        model.message(8) { operatorSet in
            operatorSet.string("", 1)
            operatorSet.integer(Self.operatorSet, 2)
        }
        model.header(7, byteCount: graphSize)
        model.raw(structure.bytes)
        for (header, constant) in zip(headers, constants) {
            model.raw(header)
            model.raw(constant.tensor.data)
        }
        return model.bytes
    }

    /// The nodes and constants as fields of another graph.
    var fields: ProtocolBufferWriter {
        var writer = ProtocolBufferWriter()
        for node in nodes { writer.message(1) { node.write(to: &$0) } }
        for (name, tensor) in constants {
            writer.raw(tensor.header(named: name))
            writer.raw(tensor.data)
        }
        return writer
    }
}

extension ONNXGraph.Value {
    fileprivate var dimensions: [ONNXDimension] {
        shape.enumerated().map { isBatchFree && $0 == 0 ? .named("batch") : .size($1) }
    }
}

/// A dimension of an input or output: its size, or a name if the size is known only at run time.
enum ONNXDimension {
    case size(Int)
    case named(String)
}

extension ProtocolBufferWriter {
    /// An input or output of a graph, float32: `ValueInfoProto`.
    mutating func value(_ name: String, _ dimensions: [ONNXDimension], _ number: Int) {
        message(number) { value in
            value.string(name, 1)
            value.message(2) { type in
                type.message(1) { tensor in
                    tensor.integer(ONNXTensor.ElementType.float.rawValue, 1)
                    tensor.message(2) { shape in
                        for dimension in dimensions {
                            shape.message(1) { content in
                                switch dimension {
                                case .size(let size): content.integer(size, 1)
                                case .named(let name): content.string(name, 2)
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

extension ONNXTensor {
    /// The bytes before ``data`` if the tensor is a constant of a graph: `GraphProto.initializer`.
    func header(named name: String) -> [UInt8] {
        var description = ProtocolBufferWriter()
        description.integers(shape, 1)
        description.integer(elementType.rawValue, 2)
        description.string(name, 8)
        description.header(9, byteCount: data.count)
        var header = ProtocolBufferWriter()
        header.header(5, byteCount: description.bytes.count + data.count)
        header.raw(description.bytes)
        return header.bytes
    }
}
