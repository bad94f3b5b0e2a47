import Glibc

/// The content of the marker segments before the first scan (ITU-T T.81 Annex B).
struct JPEGHeader: Equatable {
    /// The columns and rows in the frame header.
    var width = 0
    var height = 0
    /// Bits per sample.
    var precision = 8
    /// Colour components: 1 grey, 3 colour, 4 CMYK or YCCK.
    var components = 0
    /// Whether decoding must hold the coefficients of the whole picture in memory.
    var isProgressive = false
    /// Whether the coefficients are coded arithmetically, which no browser reads.
    var isArithmetic = false
    /// The name of a process that is neither baseline, extended nor progressive Huffman.
    var unsupportedProcess: String?
    var orientation = Orientation.up
    /// The TIFF structure of the first EXIF segment.
    var exif: ArraySlice<UInt8>?
    /// The ICC profile from its APP2 segments (ICC.1 Annex B.4), if it is complete.
    var profile: [UInt8]?
    /// Whether the first scan has only some of the components, so that further scans follow.
    var hasSeveralScans = false
    /// The first byte after the first start-of-scan marker.
    var scanStart = 0

    /// - Throws: ``ImagingError/truncated`` if the bytes end before a scan begins, ``ImagingError/corrupt(_:)`` if the
    ///   frame is missing or a segment is impossible.
    init(parsing bytes: [UInt8]) throws(ImagingError) {
        var offset = 2
        var profileParts: [Int: ArraySlice<UInt8>] = [:]
        var profilePartCount = 0
        while true {
            // libjpeg also skips bytes between segments.
            while offset < bytes.count, bytes[offset] != 0xFF { offset += 1 }
            while offset < bytes.count, bytes[offset] == 0xFF { offset += 1 }
            guard offset < bytes.count else { throw .truncated }
            let marker = bytes[offset]
            offset += 1
            if marker == 0 || marker == 0x01 || (0xD0...0xD8).contains(marker) { continue }
            if marker == 0xD9 { throw .corrupt("the JPEG ends without a scan") }
            guard offset + 2 <= bytes.count else { throw .truncated }
            let length = Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
            guard length >= 2 else { throw .corrupt("a JPEG segment of \(length) bytes") }
            guard offset + length <= bytes.count else { throw .truncated }
            let body = bytes[offset + 2..<offset + length]
            offset += length

            switch marker {
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                try readFrame(body, marker: marker)
            case 0xE1 where body.starts(with: EXIF.mark):
                exif = exif ?? body.dropFirst(EXIF.mark.count)
                if let found = EXIF.orientation(inTIFF: body.dropFirst(6)) { orientation = found }
            case 0xE2 where body.count > 14 && body.starts(with: Array("ICC_PROFILE\0".utf8)):
                profilePartCount = Int(body[body.startIndex + 13])
                profileParts[Int(body[body.startIndex + 12])] = body.dropFirst(14)
            case 0xDA:
                guard components > 0 else { throw .corrupt("a JPEG scan before its frame header") }
                scanStart = offset
                hasSeveralScans = isProgressive || body.first.map(Int.init) != components
                if profilePartCount > 0, profileParts.count == profilePartCount {
                    profile = profileParts.sorted { $0.key < $1.key }.flatMap(\.value)
                }
                return
            default:
                break
            }
        }
    }

    private mutating func readFrame(_ body: ArraySlice<UInt8>, marker: UInt8) throws(ImagingError) {
        let base = body.startIndex
        guard body.count >= 6 else { throw .corrupt("a JPEG frame header of \(body.count) bytes") }
        precision = Int(body[base])
        height = Int(body[base + 1]) << 8 | Int(body[base + 2])
        width = Int(body[base + 3]) << 8 | Int(body[base + 4])
        components = Int(body[base + 5])
        isProgressive = marker == 0xC2 || marker == 0xCA
        isArithmetic = marker >= 0xC9
        switch marker {
        case 0xC3, 0xC7, 0xCB, 0xCF: unsupportedProcess = "lossless JPEG"
        case 0xC5, 0xC6, 0xCD, 0xCE: unsupportedProcess = "hierarchical JPEG"
        default: break
        }
    }

    /// The number of scans. Embedded previews do not count, nor do the pictures and films that cameras append.
    ///
    /// - Parameter start: the first byte after the first start-of-scan marker.
    static func scans(in bytes: [UInt8], from start: Int) -> Int {
        var count = 1
        var offset = start
        while let marker = bytes.endOfScan(from: offset), bytes[marker + 1] != 0xD9 {
            offset = marker + 2
            guard bytes[marker + 1] != 0x01 else { continue }
            if bytes[marker + 1] == 0xDA { count += 1 }
            guard marker + 3 < bytes.count else { break }
            offset += Int(bytes[marker + 2]) << 8 | Int(bytes[marker + 3])
        }
        return count
    }
}

extension [UInt8] {
    /// The index of the next 0xFF that another byte follows.
    func marker(from start: Int) -> Int? {
        withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress, start + 1 < buffer.count,
                let found = memchr(base + start, 0xFF, buffer.count - start - 1)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    /// The index of the next marker that is neither a stuffed byte nor a restart. In entropy-coded data only these follow
    /// 0xFF.
    func endOfScan(from start: Int) -> Int? {
        var offset = start
        while let marker = self.marker(from: offset) {
            let next = self[marker + 1]
            if next != 0, next != 0xFF, !(0xD0...0xD7).contains(next) { return marker }
            offset = marker + (next == 0xFF ? 1 : 2)
        }
        return nil
    }
}
