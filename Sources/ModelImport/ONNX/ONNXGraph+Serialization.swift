extension ONNXGraph {
    /// The bytes of an ONNX file. Field numbers: onnx.proto, `ModelProto`, `GraphProto` and `ValueInfoProto`.
    ///
    /// - Parameter name: the name of the graph.
    func serialized(name: String) -> [UInt8] {
        var structure = ProtocolBufferWriter()
        for node in nodes {
            structure.message(1) { node.write(to: &$0) }
        }
        structure.string(name, 2)
        for input in inputs {
            structure.message(11) { Self.write(input, to: &$0) }
        }
        for output in outputs {
            structure.message(12) { Self.write(output, to: &$0) }
        }

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

    private static func write(_ value: Value, to writer: inout ProtocolBufferWriter) {
        writer.string(value.name, 1)
        writer.message(2) { type in
            type.message(1) { tensor in
                tensor.integer(ONNXTensor.ElementType.float.rawValue, 1)
                tensor.message(2) { shape in
                    for (index, dimension) in value.shape.enumerated() {
                        shape.message(1) { content in
                            if value.isBatchFree, index == 0 {
                                content.string("batch", 2)
                            } else {
                                content.integer(dimension, 1)
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
