/// Reads the orientation from EXIF, and the description of a photo from TIFF. Malformed data gives nil.
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

    /// What a TIFF file says about its photo, without the pixels: date, camera, place, author. Nil if it is no TIFF.
    static func description(inTIFF file: ArraySlice<UInt8>) -> [UInt8]? {
        guard let structure = TIFFStructure(file), let directory = structure.number(at: 4, bytes: 4) else { return nil }
        return structure.copy(of: directory)
    }

    /// Whether a TIFF file has YCbCr levels (TIFF 6.0 §21) that JPEG did not compress. libvips takes them for RGB.
    static func isPlainYCbCr(_ file: ArraySlice<UInt8>) -> Bool {
        guard let structure = TIFFStructure(file), let directory = structure.number(at: 4, bytes: 4) else {
            return false
        }
        let entries = structure.entries(of: directory)
        func short(_ tag: Int) -> Int? {
            entries.first { $0.tag == tag }.flatMap { structure.number(at: $0.offset + 8, bytes: 2) }
        }
        return short(0x0106) == 6 && ![6, 7].contains(short(0x0103))
    }

    /// The indices of the two bytes of the orientation.
    private static func placeOfOrientation(inTIFF tiff: ArraySlice<UInt8>) -> (high: Int, low: Int)? {
        guard let structure = TIFFStructure(tiff), let directory = structure.number(at: 4, bytes: 4),
            let entry = structure.entries(of: directory).first(where: { $0.tag == 0x0112 }),
            // A SHORT has its value in the first two bytes.
            entry.type == 3
        else { return nil }
        let place = tiff.startIndex + entry.offset + 8
        return structure.isBigEndian ? (place, place + 1) : (place + 1, place)
    }
}

/// The directories of a TIFF file or of EXIF data (TIFF 6.0 §2). Every read is bounds-checked.
private struct TIFFStructure {
    struct Entry {
        /// An entry has 12 bytes: tag, type, count, and the value or its offset.
        let offset: Int
        let tag: Int
        let type: Int
    }

    private let bytes: ArraySlice<UInt8>
    let isBigEndian: Bool

    init?(_ bytes: ArraySlice<UInt8>) {
        switch bytes.prefix(2) {
        case [0x4D, 0x4D]: isBigEndian = true
        case [0x49, 0x49]: isBigEndian = false
        default: return nil
        }
        self.bytes = bytes
        guard number(at: 2, bytes: 2) == 42 else { return nil }
    }

    private func field(_ offset: Int, _ count: Int) -> ArraySlice<UInt8>? {
        guard offset >= 0, offset <= bytes.count - count else { return nil }
        return bytes[bytes.startIndex + offset..<bytes.startIndex + offset + count]
    }

    func number(at offset: Int, bytes count: Int) -> Int? {
        field(offset, count).map { (isBigEndian ? Array($0) : $0.reversed()).reduce(0) { $0 << 8 | Int($1) } }
    }

    /// The entries of a directory, as far as the bytes reach.
    func entries(of directory: Int) -> [Entry] {
        var entries: [Entry] = []
        for index in 0..<(number(at: directory, bytes: 2) ?? 0) {
            let offset = directory + 2 + index * 12
            guard field(offset, 12) != nil, let tag = number(at: offset, bytes: 2),
                let type = number(at: offset + 2, bytes: 2)
            else { break }
            entries.append(Entry(offset: offset, tag: tag, type: type))
        }
        return entries
    }

    // MARK: Copies

    /// The first directory's entries that describe the photo (CIPA DC-008 §4.6.4), and the two directories of EXIF and
    /// of the place. The others are about the pixels.
    private static let kept = Set(
        [0x010E, 0x010F, 0x0110, 0x0112, 0x011A, 0x011B, 0x0128, 0x0131, 0x0132, 0x013B, 0x8298] + directories)
    private static let directories = [0x8769, 0x8825]
    /// Notes of the maker and a further directory, whose offsets are those of the file.
    private static let bound: Set<Int> = [0x927C, 0xA005]
    /// The bytes of an element, by its type.
    private static let sizes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8]
    /// The largest copy; a segment of a JPEG has 65,533 bytes.
    private static let limit = 60_000

    /// A structure with the directory's description of the photo alone. Values that would make it too large are left out.
    func copy(of directory: Int) -> [UInt8] {
        var copy = Array(bytes.prefix(4)) + coded(8, 4)
        add(entries(of: directory).filter { Self.kept.contains($0.tag) }, to: &copy)
        return copy
    }

    private func add(_ entries: [Entry], to copy: inout [UInt8]) {
        var room = Self.limit - copy.count
        // A directory names each tag once. A hostile file may name an inner directory thousands of times.
        var tags: Set<Int> = []
        let values = entries.compactMap { entry -> (Entry, ArraySlice<UInt8>)? in
            guard tags.insert(entry.tag).inserted, let value = value(entry), room >= 12 + value.count else {
                return nil
            }
            room -= 13 + value.count
            return (entry, value)
        }
        let start = copy.count + 2
        copy += coded(values.count, 2) + [UInt8](repeating: 0, count: values.count * 12 + 4)
        for (index, (entry, value)) in values.enumerated() {
            let place = start + index * 12
            copy.replaceSubrange(place..<place + 8, with: field(entry.offset, 8) ?? [])
            let isDirectory = Self.directories.contains(entry.tag)
            if value.count <= 4, !isDirectory {
                copy.replaceSubrange(place + 8..<place + 8 + value.count, with: value)
                continue
            }
            copy.replaceSubrange(place + 8..<place + 12, with: coded(copy.count, 4))
            if isDirectory, let directory = number(at: entry.offset + 8, bytes: 4) {
                let inner = self.entries(of: directory)
                add(inner.filter { !Self.bound.contains($0.tag) && !Self.directories.contains($0.tag) }, to: &copy)
            } else {
                copy += value + [UInt8](repeating: 0, count: value.count % 2)
            }
        }
    }

    private func value(_ entry: Entry) -> ArraySlice<UInt8>? {
        guard Self.sizes.indices.contains(entry.type), let count = number(at: entry.offset + 4, bytes: 4) else {
            return nil
        }
        let size = count * Self.sizes[entry.type]
        if size <= 4 { return field(entry.offset + 8, size) }
        return number(at: entry.offset + 8, bytes: 4).flatMap { field($0, size) }
    }

    private func coded(_ number: Int, _ count: Int) -> [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        return isBigEndian ? bytes.reversed() : bytes
    }
}
