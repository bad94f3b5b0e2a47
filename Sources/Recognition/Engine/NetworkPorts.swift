import COpenVINO

/// The inputs and outputs that a network declares.
package struct NetworkPorts: Sendable {
    /// One input or output.
    package struct Port: Sendable, Equatable {
        /// Nil if the port has no name.
        package let name: String?
        /// Nil for a free dimension.
        package let shape: [Int?]
        /// The type of its elements, by OpenVINO's numbers.
        package let type: UInt32

        /// The dimensions after the first, which is the batch.
        package var shapeOfOne: [Int?] { Array(shape.dropFirst()) }
    }

    package let inputs: [Port]
    package let outputs: [Port]

    /// Reads a network without compiling it.
    package init(_ weights: ModelWeights) throws(RecognitionError) {
        let core = try OpenVINOHandle("start OpenVINO", free: { ov_core_free($0) }) { ov_core_create($0) }
        try self.init(of: try weights.read(with: core))
    }

    init(of model: OpenVINOHandle) throws(RecognitionError) {
        var count = 0
        try OpenVINO.check("inputs", ov_model_inputs_size(model.pointer, &count))
        inputs = try (0..<count).map { index throws(RecognitionError) in
            try Port("input \(index)") { ov_model_const_input_by_index(model.pointer, index, $0) }
        }
        try OpenVINO.check("outputs", ov_model_outputs_size(model.pointer, &count))
        outputs = try (0..<count).map { index throws(RecognitionError) in
            try Port("output \(index)") { ov_model_const_output_by_index(model.pointer, index, $0) }
        }
    }
}

extension NetworkPorts.Port {
    init(_ what: String, _ get: (UnsafeMutablePointer<OpaquePointer?>) -> ov_status_e) throws(RecognitionError) {
        let port = try OpenVINOHandle(what, free: { ov_output_const_port_free($0) }, get)
        var text: UnsafeMutablePointer<CChar>?
        // A port may lack a name.
        if ov_port_get_any_name(port.pointer, &text) == OK, let text {
            name = String(cString: text)
            ov_free(text)
        } else {
            name = nil
        }
        var element = F32
        try OpenVINO.check("type of \(what)", ov_port_get_element_type(port.pointer, &element))
        type = UInt32(element.rawValue)
        var partial = ov_partial_shape_t()
        try OpenVINO.check("shape of \(what)", ov_port_get_partial_shape(port.pointer, &partial))
        defer { ov_partial_shape_free(&partial) }
        guard partial.rank.min == partial.rank.max, partial.rank.max >= 0, let dimensions = partial.dims else {
            shape = []
            return
        }
        shape = (0..<Int(partial.rank.max)).map { index in
            let dimension = dimensions[index]
            return dimension.min == dimension.max ? Int(dimension.min) : nil
        }
    }
}
