import CTurboJPEG

/// The fast path for 8-bit grey, YCbCr or RGB JPEGs through libjpeg-turbo, at reduced size if that is enough.
enum JPEGDecoder {
    /// Whether libjpeg-turbo itself turns the file into sRGB. All others take the libvips path.
    static func reads(_ header: JPEGHeader) -> Bool {
        guard header.components == 1 || header.components == 3 else { return false }
        guard let profile = header.profile else { return true }
        return ColourProfile.isSRGB(profile)
    }

    /// Decodes at the smallest of 1/8, 1/4, 1/2 and 1 that still has `minimumWidth` × `minimumHeight` pixels.
    ///
    /// libjpeg-turbo has the other eighths too, but without vector code: for 12 megapixels 3/8 takes 27 CPU-ms and 5/8
    /// takes 45, against 23 for 1/2 and 53 for 1/1. At 1/8 only the first coefficient of a block counts, and the
    /// library reads all. So ``JPEGMeans`` decodes plain files at 1/8, in about half of the library's time.
    static func decode(
        _ jpeg: [UInt8], header: JPEGHeader, minimumWidth: Int, minimumHeight: Int
    ) throws(ImagingError) -> DecodedPixels {
        let eighths = scale(of: header, minimumWidth: minimumWidth, minimumHeight: minimumHeight)
        let width = (header.width * eighths + 7) / 8
        let height = (header.height * eighths + 7) / 8
        func decoded(_ bytes: [UInt8]) -> DecodedPixels {
            DecodedPixels(
                bytes: bytes, width: width, height: height, spanWidth: Double(header.width * eighths) / 8,
                spanHeight: Double(header.height * eighths) / 8)
        }
        if eighths == 1, let bytes = JPEGMeans(jpeg, header: header)?.pixels() { return decoded(bytes) }
        // Warnings stop the first attempt, so that a missing end is noticed. Harmless ones, such as the stray bytes
        // that some cameras write before a marker, get a second, lenient attempt.
        do {
            return decoded(try decode(jpeg, width: width, height: height, flags: TJFLAG_STOPONWARNING))
        } catch {
            guard case .warning(let message) = error else { throw error.asImagingError }
            guard hasEnd(jpeg, after: header.scanStart) else {
                // Some cameras leave out the marker of the end. With it, a file that has all rows gives no warning.
                guard !header.hasSeveralScans else { throw .truncated }
                let ended = try? decode(
                    jpeg + [0xFF, 0xD9], width: width, height: height, flags: TJFLAG_STOPONWARNING)
                guard let ended else { throw .truncated }
                return decoded(ended)
            }
            if message.contains("remature end") { throw .truncated }
        }
        do {
            return decoded(try decode(jpeg, width: width, height: height, flags: 0))
        } catch {
            throw error.asImagingError
        }
    }

    private enum Failure: Error {
        case warning(String)
        case fatal(String)

        var asImagingError: ImagingError {
            switch self {
            case .warning(let message), .fatal(let message): .corrupt(message)
            }
        }
    }

    private static func scale(of header: JPEGHeader, minimumWidth: Int, minimumHeight: Int) -> Int {
        [1, 2, 4].first { header.width * $0 >= minimumWidth * 8 && header.height * $0 >= minimumHeight * 8 } ?? 8
    }

    private static func decode(_ jpeg: [UInt8], width: Int, height: Int, flags: Int32) throws(Failure) -> [UInt8] {
        guard let handle = tjInitDecompress() else { throw .fatal("libjpeg-turbo did not start") }
        defer { tjDestroy(handle) }
        var status: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: width * height * 3) { target, count in
            // A lenient decode may leave rows out, which must not show old memory. A strict one leaves out none.
            if flags & TJFLAG_STOPONWARNING == 0 { target.initialize(repeating: 128) }
            status = tjDecompress2(
                handle, jpeg, UInt(jpeg.count), target.baseAddress, Int32(width), Int32(width * 3), Int32(height),
                Int32(TJPF_RGB.rawValue), flags | TJFLAG_LIMITSCANS)
            count = width * height * 3
        }
        guard status != 0 else { return bytes }
        let message = tjGetErrorStr2(handle).map { String(cString: $0) } ?? "libjpeg-turbo gave no reason"
        if tjGetErrorCode(handle) == Int32(TJERR_WARNING.rawValue) {
            if flags & TJFLAG_STOPONWARNING == 0 { return bytes }
            throw .warning(message)
        }
        throw .fatal(message)
    }

    /// Whether an end-of-image marker follows the first scan's start. Entropy-coded data has 0 after each 0xFF.
    private static func hasEnd(_ jpeg: [UInt8], after start: Int) -> Bool {
        var index = jpeg.count - 2
        while index >= start {
            if jpeg[index] == 0xFF, jpeg[index + 1] == 0xD9 { return true }
            index -= 1
        }
        return false
    }
}

/// Tells whether an embedded ICC profile can be ignored.
enum ColourProfile {
    /// Whether the profile's description says sRGB (ICC.1:2022 §9.2.41 `desc`; ASCII in version 2, UTF-16 in version
    /// 4). The sRGB profiles of HP, Apple, Google, Facebook, Adobe and lcms do.
    static func isSRGB(_ profile: [UInt8]) -> Bool {
        guard profile.count >= 132, profile[16..<20].elementsEqual(Array("RGB ".utf8)) else { return false }
        func number(at offset: Int) -> Int { profile[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        for tag in 0..<min(number(at: 128), 100) {
            let entry = 132 + tag * 12
            guard entry + 12 <= profile.count else { return false }
            guard profile[entry..<entry + 4].elementsEqual(Array("desc".utf8)) else { continue }
            let start = number(at: entry + 4)
            let end = start + min(number(at: entry + 8), 4096)
            guard start < end, end <= profile.count else { return false }
            return profile[start..<end].filter { $0 != 0 }.contains(Array("sRGB".utf8))
        }
        return false
    }
}
