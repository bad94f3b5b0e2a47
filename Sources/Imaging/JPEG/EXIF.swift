/// The one thing read from EXIF: orientation. Every read is bounds-checked; anything odd reads as "none".
enum EXIF {
    /// The orientation in a TIFF structure (CIPA DC-008 §4.5.2: byte order, 42, offset of IFD 0).
    ///
    /// - Parameter tiff: what follows `Exif\0\0` in a JPEG's APP1 segment.
    static func orientation(inTIFF tiff: ArraySlice<UInt8>) -> Orientation? {
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
        // Entries of 12 bytes: tag, type, count, value; one of type SHORT holds its value in the first two bytes.
        for entry in 0..<entries {
            let offset = directory + 2 + entry * 12
            guard let tag = number(at: offset, bytes: 2) else { return nil }
            guard tag == 0x0112 else { continue }
            guard number(at: offset + 2, bytes: 2) == 3, let value = number(at: offset + 8, bytes: 2) else {
                return nil
            }
            return Orientation(rawValue: value)
        }
        return nil
    }
}
