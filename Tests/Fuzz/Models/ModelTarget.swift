// Compiled by Scripts/fuzz models into one module with the importers, so that it sees what is internal.

/// libFuzzer's entry: any bytes end in a model or in an error that says what is wrong.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    if let model = try? CoreMLModel(parsing: bytes).convert() { readAgain(model.onnx) }
    if let floating = try? ONNXDequantisation(bytes)?.onnx() { readAgain(floating) }
    if let searched = try? ONNXFeatures.adding(to: bytes, before: ["y", "classes"]) { readAgain(searched) }
    let head = ONNXGraft.Head(classes: 2, centre: [0, 0], weights: [1, 0, 0, 1], bias: [0, 0])
    if let trained = try? ONNXGraft(bytes).joined(with: head) { readAgain(trained) }
    return 0
}

/// What the importers write has to be what they can read.
private func readAgain(_ onnx: [UInt8]) {
    precondition((try? ProtocolBufferMessage(onnx).message("graph", 7)) != nil)
}
