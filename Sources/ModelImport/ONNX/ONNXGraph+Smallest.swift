extension ONNXGraph {
    /// A network without weights, as an ONNX file: input `x` of 1×3×8×8, output `y` with the mean of each channel.
    /// Loading it makes an engine load everything that it needs to run at all.
    package static var smallest: [UInt8] {
        var graph = ONNXGraph()
        let (input, output) = (graph.uniqueName("x"), graph.uniqueName("y"))
        let means = graph.node("GlobalAveragePool", [input], outputs: ["means"])
        let flat = graph.node("Flatten", means, outputs: ["flat"], attributes: ["axis": .integer(1)])
        graph.bind(flat.first ?? input, to: output)
        graph.inputs = [Value(name: input, shape: [1, 3, 8, 8], isBatchFree: false)]
        graph.outputs = [Value(name: output, shape: [1, 3], isBatchFree: false)]
        return graph.serialized(name: "smallest")
    }
}
