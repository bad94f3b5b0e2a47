import COpenVINO

/// Adds the conversion of RGB8 rows to a network's input. Only bytes are then copied at run time.
enum PreprocessingGraph {
    /// - Returns: a model whose outputs are f32. For pictures, its input is u8, 1 × height × width × 3. For tensors, it
    ///   is f32 in the network's shape.
    static func attach(
        to model: OpenVINOHandle, input: ModelManifest.Input, form: InputForm, outputs: [String]
    ) throws(RecognitionError) -> OpenVINOHandle {
        var inputs = 0
        try OpenVINO.check("inputs", ov_model_inputs_size(model.pointer, &inputs))
        guard inputs == 1 else { throw .engine("the network has \(inputs) inputs; one, a picture, can be served") }
        try reshape(model, input: input)
        let builder = try OpenVINOHandle("preprocessing", free: { ov_preprocess_prepostprocessor_free($0) }) { out in
            ov_preprocess_prepostprocessor_create(model.pointer, out)
        }
        let name = input.name ?? ""
        let info = try OpenVINOHandle("input \(name)", free: { ov_preprocess_input_info_free($0) }) { out in
            input.name == nil
                ? ov_preprocess_prepostprocessor_get_input_info(builder.pointer, out)
                : ov_preprocess_prepostprocessor_get_input_info_by_name(builder.pointer, name, out)
        }
        try describeTensor(of: info, input: input, form: form)
        if form == .picture { try describeSteps(of: info, input: input) }
        let network = try OpenVINOHandle("model side of the input", free: { ov_preprocess_input_model_info_free($0) }) {
            out in
            ov_preprocess_input_info_get_model_info(info.pointer, out)
        }
        let layout = try makeLayout(input.layout)
        try OpenVINO.check("model layout", ov_preprocess_input_model_info_set_layout(network.pointer, layout.pointer))
        for output in outputs {
            do throws(RecognitionError) {
                try makeFloat(output, of: builder)
            } catch {
                let names = try NetworkPorts(of: model).outputs.compactMap(\.name).joined(separator: ", ")
                throw .engine("the network has no output \"\(output)\"; it has \(names)")
            }
        }

        return try OpenVINOHandle("build the preprocessing", free: { ov_model_free($0) }) { out in
            ov_preprocess_prepostprocessor_build(builder.pointer, out)
        }
    }

    /// Sets the network's input to the manifest's size, whatever size the file was written with.
    private static func reshape(_ model: OpenVINOHandle, input: ModelManifest.Input) throws(RecognitionError) {
        let (height, width, channels) = (Int64(input.height), Int64(input.width), Int64(input.channels.count))
        let dimensions = input.layout == "NCHW" ? [1, channels, height, width] : [1, height, width, channels]
        var shape = ov_partial_shape_t()
        try OpenVINO.check("input shape", ov_partial_shape_create_static(4, dimensions, &shape))
        defer { ov_partial_shape_free(&shape) }
        try OpenVINO.check(
            "give the network pictures of \(input.width)×\(input.height)",
            ov_model_reshape_single_input(model.pointer, shape))
    }

    private static func describeTensor(
        of info: OpenVINOHandle, input: ModelManifest.Input, form: InputForm
    ) throws(RecognitionError) {
        let tensor = try OpenVINOHandle("tensor side of the input", free: { ov_preprocess_input_tensor_info_free($0) })
        { out in
            ov_preprocess_input_info_get_tensor_info(info.pointer, out)
        }
        let type = form == .picture ? U8 : F32
        try OpenVINO.check("input type", ov_preprocess_input_tensor_info_set_element_type(tensor.pointer, type))
        let layout = try makeLayout(form == .picture ? "NHWC" : input.layout)
        try OpenVINO.check("input layout", ov_preprocess_input_tensor_info_set_layout(tensor.pointer, layout.pointer))
        if form == .picture, input.channels == .greyscale {
            try OpenVINO.check("colour", ov_preprocess_input_tensor_info_set_color_format(tensor.pointer, RGB))
        }
    }

    /// Adds the steps: f32, channel order, (x − mean) / scale. The layout follows from both sides. A network of
    /// integers gets its own type back.
    private static func describeSteps(of info: OpenVINOHandle, input: ModelManifest.Input) throws(RecognitionError) {
        let steps = try OpenVINOHandle("steps", free: { ov_preprocess_preprocess_steps_free($0) }) { out in
            ov_preprocess_input_info_get_preprocess_steps(info.pointer, out)
        }
        let keepsBytes = input.type == .u8 && input.keepsLevels
        if !keepsBytes {
            try OpenVINO.check("to float", ov_preprocess_preprocess_steps_convert_element_type(steps.pointer, F32))
        }
        switch input.channels {
        case .rgb: break
        case .bgr: try OpenVINO.check("channel order", ov_preprocess_preprocess_steps_reverse_channels(steps.pointer))
        case .greyscale:
            try OpenVINO.check("to grey", ov_preprocess_preprocess_steps_convert_color(steps.pointer, GRAY))
        }
        guard !keepsBytes else { return }
        let mean = input.mean
        let deviation = input.deviation
        try OpenVINO.check(
            "mean", ov_preprocess_preprocess_steps_mean_multi_channels(steps.pointer, mean, Int32(mean.count)))
        try OpenVINO.check(
            "scale",
            ov_preprocess_preprocess_steps_scale_multi_channels(steps.pointer, deviation, Int32(deviation.count)))
    }

    private static func makeFloat(_ output: String, of builder: OpenVINOHandle) throws(RecognitionError) {
        let info = try OpenVINOHandle("output \(output)", free: { ov_preprocess_output_info_free($0) }) { out in
            ov_preprocess_prepostprocessor_get_output_info_by_name(builder.pointer, output, out)
        }
        let tensor = try OpenVINOHandle("output \(output)", free: { ov_preprocess_output_tensor_info_free($0) }) {
            out in
            ov_preprocess_output_info_get_tensor_info(info.pointer, out)
        }
        try OpenVINO.check("type of \(output)", ov_preprocess_output_set_element_type(tensor.pointer, F32))
    }

    private static func makeLayout(_ text: String) throws(RecognitionError) -> OpenVINOHandle {
        try OpenVINOHandle("layout \(text)", free: { ov_layout_free($0) }) { out in ov_layout_create(text, out) }
    }
}
