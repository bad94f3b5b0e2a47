// Compiled by Scripts/fuzz pictures into one module with the decoders, so that it sees what is internal.

/// libFuzzer's entry: any bytes end in a picture of the wanted shape or in an error.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    // Small limits keep a run short; what lies above them is refused by its header.
    let limits = ImageLimits(maximumPixels: 1_000_000, maximumBufferedPixels: 1_000_000)
    if let (pixels, info) = try? ImageDecoder(limits: limits).decode(bytes, DecodeRequest(width: 48, height: 48)) {
        precondition(pixels.bytes.count == 48 * 48 * 3 && info.width > 0 && info.height > 0)
    }
    if let header = try? JPEGHeader(parsing: bytes), header.width * header.height < 1_000_000,
        let means = JPEGMeans(bytes, header: header)?.pixels()
    {
        precondition(means.count == (header.width + 7) / 8 * ((header.height + 7) / 8) * 3)
    }
    return 0
}
