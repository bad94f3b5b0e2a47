// Scripts/fuzz models compiles this file into one module with the importers, so that it has access to internal code.

/// libFuzzer's entry point. Any bytes must give a model or an error that names the fault.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    if let model = try? CoreMLModel(parsing: bytes).convert() { readAgain(model.onnx) }
    if let floating = try? ONNXDequantisation(bytes)?.onnx() { readAgain(floating) }
    if let layers = ONNXLinearLayers(bytes) { readAgain(layers.asConvolutions()) }
    if let searched = try? ONNXFeatures.adding(to: bytes, before: ["y", "classes"]) { readAgain(searched) }
    let head = ONNXGraft.Head(classes: 2, centre: [0, 0], weights: [1, 0, 0, 1], bias: [0, 0])
    if let trained = try? ONNXGraft(bytes).joined(with: head) { readAgain(trained) }
    return 0
}

/// The importers must be able to read their own output.
private func readAgain(_ onnx: [UInt8]) {
    precondition((try? ProtocolBufferMessage(onnx).message("graph", 7)) != nil)
}
