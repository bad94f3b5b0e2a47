import CTurboJPEG

/// Encodes baseline JPEG without metadata.
enum JPEGEncoder {
    /// - Parameter quality: 1–100, libjpeg's scale.
    static func encode(
        _ pixels: PixelBuffer, quality: Int, sampling: TJSAMP = TJSAMP_420
    ) throws(ImagingError) -> [UInt8] {
        guard let handle = tjInitCompress() else { throw .encodingFailed("libjpeg-turbo did not start") }
        defer { tjDestroy(handle) }
        let subsampling = Int32(sampling.rawValue)
        let capacity = Int(tjBufSize(Int32(pixels.width), Int32(pixels.height), subsampling))
        var status: Int32 = 0
        let jpeg = [UInt8](unsafeUninitializedCapacity: capacity) { target, count in
            var buffer = target.baseAddress
            var size = UInt(capacity)
            status = tjCompress2(
                handle, pixels.bytes, Int32(pixels.width), Int32(pixels.width * 3), Int32(pixels.height),
                Int32(TJPF_RGB.rawValue), &buffer, &size, subsampling, Int32(quality), TJFLAG_NOREALLOC)
            count = status == 0 ? Int(size) : 0
        }
        guard status == 0 else {
            throw .encodingFailed(tjGetErrorStr2(handle).map { String(cString: $0) } ?? "no reason given")
        }
        return [UInt8](jpeg[...])
    }
}
