import COpenVINO

/// Puts "RGB8 rows → what the network wants" in front of a network, so that only bytes are copied at run time.
enum PreprocessingGraph {
    /// - Returns: a model whose input is u8, 1 × height × width × 3.
    static func attach(to model: OpenVINOHandle, input: ModelManifest.Input) throws(RecognitionError) -> OpenVINOHandle
    {
        let builder = try OpenVINOHandle("preprocessing", free: { ov_preprocess_prepostprocessor_free($0) }) { out in
            ov_preprocess_prepostprocessor_create(model.pointer, out)
        }
        let info = try OpenVINOHandle("input \(input.name)", free: { ov_preprocess_input_info_free($0) }) { out in
            ov_preprocess_prepostprocessor_get_input_info_by_name(builder.pointer, input.name, out)
        }
        try describeTensor(of: info)
        try describeSteps(of: info, input: input)
        let network = try OpenVINOHandle("model side of the input", free: { ov_preprocess_input_model_info_free($0) }) {
            out in
            ov_preprocess_input_info_get_model_info(info.pointer, out)
        }
        let layout = try makeLayout(input.layout)
        try OpenVINO.check("model layout", ov_preprocess_input_model_info_set_layout(network.pointer, layout.pointer))

        let built = try OpenVINOHandle("build the preprocessing", free: { ov_model_free($0) }) { out in
            ov_preprocess_prepostprocessor_build(builder.pointer, out)
        }
        let dimensions: [Int64] = [1, Int64(input.height), Int64(input.width), 3]
        var shape = ov_partial_shape_t()
        try OpenVINO.check("input shape", ov_partial_shape_create_static(4, dimensions, &shape))
        defer { ov_partial_shape_free(&shape) }
        try OpenVINO.check("set the input shape", ov_model_reshape_single_input(built.pointer, shape))
        return built
    }

    private static func describeTensor(of info: OpenVINOHandle) throws(RecognitionError) {
        let tensor = try OpenVINOHandle("tensor side of the input", free: { ov_preprocess_input_tensor_info_free($0) })
        { out in
            ov_preprocess_input_info_get_tensor_info(info.pointer, out)
        }
        try OpenVINO.check("input type", ov_preprocess_input_tensor_info_set_element_type(tensor.pointer, U8))
        let layout = try makeLayout("NHWC")
        try OpenVINO.check("input layout", ov_preprocess_input_tensor_info_set_layout(tensor.pointer, layout.pointer))
    }

    /// f32, channel order, (x − mean) / scale; the layout follows from the two sides.
    private static func describeSteps(
        of info: OpenVINOHandle, input: ModelManifest.Input
    ) throws(RecognitionError) {
        let steps = try OpenVINOHandle("steps", free: { ov_preprocess_preprocess_steps_free($0) }) { out in
            ov_preprocess_input_info_get_preprocess_steps(info.pointer, out)
        }
        try OpenVINO.check("to float", ov_preprocess_preprocess_steps_convert_element_type(steps.pointer, F32))
        if input.channels == "BGR" {
            try OpenVINO.check("channel order", ov_preprocess_preprocess_steps_reverse_channels(steps.pointer))
        }
        let mean = input.mean
        let deviation = input.deviation
        try OpenVINO.check(
            "mean", ov_preprocess_preprocess_steps_mean_multi_channels(steps.pointer, mean, Int32(mean.count)))
        try OpenVINO.check(
            "scale",
            ov_preprocess_preprocess_steps_scale_multi_channels(steps.pointer, deviation, Int32(deviation.count)))
    }

    private static func makeLayout(_ text: String) throws(RecognitionError) -> OpenVINOHandle {
        try OpenVINOHandle("layout \(text)", free: { ov_layout_free($0) }) { out in ov_layout_create(text, out) }
    }
}
