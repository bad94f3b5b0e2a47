/// Reads the orientation from EXIF, and nothing else. Every read is bounds-checked, and malformed data gives nil.
enum EXIF {
    /// The bytes before the TIFF structure in a JPEG's APP1 segment.
    static let mark = Array("Exif\0\0".utf8)

    /// The orientation in a TIFF structure (CIPA DC-008 §4.5.2: byte order, 42, offset of IFD 0).
    ///
    /// - Parameter tiff: the bytes after `Exif\0\0` in a JPEG's APP1 segment.
    static func orientation(inTIFF tiff: ArraySlice<UInt8>) -> Orientation? {
        guard let place = placeOfOrientation(inTIFF: tiff) else { return nil }
        return Orientation(rawValue: Int(tiff[place.high]) << 8 | Int(tiff[place.low]))
    }

    /// The same structure with orientation 1, for a picture that was turned upright.
    static func upright(_ tiff: ArraySlice<UInt8>) -> [UInt8] {
        guard let place = placeOfOrientation(inTIFF: tiff) else { return Array(tiff) }
        var tiff = tiff
        tiff[place.high] = 0
        tiff[place.low] = 1
        return Array(tiff)
    }

    /// The indices of the two bytes of the orientation.
    private static func placeOfOrientation(inTIFF tiff: ArraySlice<UInt8>) -> (high: Int, low: Int)? {
        let base = tiff.startIndex
        guard tiff.count >= 8 else { return nil }
        let bigEndian: Bool
        switch (tiff[base], tiff[base + 1]) {
        case (0x4D, 0x4D): bigEndian = true
        case (0x49, 0x49): bigEndian = false
        default: return nil
        }
        func number(at offset: Int, bytes count: Int) -> Int? {
            guard offset >= 0, offset + count <= tiff.count else { return nil }
            let field = tiff[base + offset..<base + offset + count]
            return (bigEndian ? Array(field) : field.reversed()).reduce(0) { $0 << 8 | Int($1) }
        }
        guard number(at: 2, bytes: 2) == 42, let directory = number(at: 4, bytes: 4),
            let entries = number(at: directory, bytes: 2)
        else { return nil }
        // An entry has 12 bytes: tag, type, count and value. A SHORT has its value in the first two bytes.
        for entry in 0..<entries {
            let offset = directory + 2 + entry * 12
            guard let tag = number(at: offset, bytes: 2) else { return nil }
            guard tag == 0x0112 else { continue }
            guard number(at: offset + 2, bytes: 2) == 3, number(at: offset + 8, bytes: 2) != nil else { return nil }
            let place = base + offset + 8
            return bigEndian ? (place, place + 1) : (place + 1, place)
        }
        return nil
    }
}
