// Scripts/fuzz pictures compiles this file into one module with the decoders, so that it has access to internal code.

/// libFuzzer's entry point. Any bytes must give a picture of the requested shape or an error.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    // Small limits keep a run short. Larger pictures are refused by their header.
    let limits = ImageLimits(maximumPixels: 1_000_000, maximumBufferedPixels: 1_000_000)
    if let source = try? ImageSource(bytes, limits: limits),
        let pixels = try? source.pixels(DecodeRequest(width: 48, height: 48))
    {
        let info = source.info()
        precondition(pixels.bytes.count == 48 * 48 * 3 && info.width > 0 && info.height > 0)
    }
    if let header = try? JPEGHeader(parsing: bytes), header.width * header.height < 1_000_000,
        let means = JPEGMeans(bytes, header: header)?.pixels()
    {
        precondition(means.count == (header.width + 7) / 8 * ((header.height + 7) / 8) * 3)
    }
    return 0
}
