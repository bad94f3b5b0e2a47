/// The components, tables and entropy-coded bits of a sequential JPEG with a single scan.
struct JPEGScan {
    struct Component {
        /// The 8×8 blocks in a unit of the scan, across and down.
        let across: Int
        let down: Int
        /// The factor of DC coefficients.
        let quantiser: Int32
        let dc: HuffmanTable
        let ac: HuffmanTable
    }

    let components: [Component]
    /// The units between restart markers; 0 if there are no markers.
    let restartInterval: Int
    /// The entropy-coded bytes without stuffing and markers, with ``padding`` zeros after each stretch.
    let bits: [UInt8]
    /// The stretches between restart markers in ``bits``, without the padding.
    let stretches: [Range<Int>]

    /// More bytes than any unit of blocks can take, so that a unit is read without a check for the end.
    static let padding = 4096

    /// - Returns: nil for progressive or arithmetic coding, several scans, RGB, unusual sampling and damaged files.
    ///   libjpeg-turbo then reads the file or reports the error.
    init?(_ jpeg: [UInt8]) {
        var segments = SegmentReader()
        guard let scan = segments.read(jpeg) else { return nil }
        components = segments.components
        restartInterval = segments.restartInterval
        var bits: [UInt8] = []
        var stretches: [Range<Int>] = []
        guard Self.unstuff(jpeg, from: scan, into: &bits, &stretches) else { return nil }
        self.bits = bits
        self.stretches = stretches
    }

    /// Removes the zero after 0xFF and splits at restart markers.
    ///
    /// - Returns: whether the bits end with the end of the image.
    private static func unstuff(
        _ jpeg: [UInt8], from start: Int, into bits: inout [UInt8], _ stretches: inout [Range<Int>]
    ) -> Bool {
        bits.reserveCapacity(jpeg.count - start + padding)
        var index = start
        var first = 0
        while let marker = jpeg.marker(from: index) {
            bits.append(contentsOf: jpeg[index..<marker])
            switch jpeg[marker + 1] {
            case 0:
                bits.append(0xFF)
            case 0xFF:
                index = marker + 1
                continue
            case 0xD0...0xD7, 0xD9:
                stretches.append(first..<bits.count)
                bits.append(contentsOf: repeatElement(0, count: padding))
                first = bits.count
                if jpeg[marker + 1] == 0xD9 { return true }
            default:
                return false
            }
            index = marker + 2
        }
        return false
    }
}

/// Reads the segments before the scan.
private struct SegmentReader {
    var components: [JPEGScan.Component] = []
    var restartInterval = 0
    private var quantisers = [Int32](repeating: 0, count: 4)
    private var dc = [HuffmanTable?](repeating: nil, count: 4)
    private var ac = [HuffmanTable?](repeating: nil, count: 4)
    private var frame: [(id: UInt8, across: Int, down: Int, quantiser: Int)] = []

    /// - Returns: the start of the entropy-coded bytes; nil if the file is malformed or not supported.
    mutating func read(_ jpeg: [UInt8]) -> Int? {
        var offset = 2
        while offset + 4 <= jpeg.count, jpeg[offset] == 0xFF {
            let marker = jpeg[offset + 1]
            if marker == 0xFF {
                offset += 1
                continue
            }
            let end = offset + 2 + Int(jpeg[offset + 2]) << 8 + Int(jpeg[offset + 3])
            guard end >= offset + 4, end <= jpeg.count else { return nil }
            let body = jpeg[offset + 4..<end]
            offset = end
            switch marker {
            case 0xC0, 0xC1: guard readFrame(Array(body)) else { return nil }
            case 0xC4: guard readTables(Array(body)) else { return nil }
            case 0xC2...0xCF: return nil
            case 0xDA: return readScan(Array(body)) ? end : nil
            case 0xDB: guard readQuantisers(Array(body)) else { return nil }
            case 0xDD where body.count >= 2:
                restartInterval = Int(body[body.startIndex]) << 8 | Int(body[body.startIndex + 1])
            // Adobe's transform flag 1 means YCbCr.
            case 0xEE where body.starts(with: Array("Adobe".utf8)):
                guard body.count >= 12, body[body.startIndex + 11] == 1 else { return nil }
            default: break
            }
        }
        return nil
    }

    private mutating func readFrame(_ body: [UInt8]) -> Bool {
        guard frame.isEmpty, body.count >= 6, body[0] == 8, body.count >= 6 + Int(body[5]) * 3 else { return false }
        frame = (0..<Int(body[5])).map { index in
            let entry = body[6 + index * 3..<9 + index * 3]
            let sampling = entry[entry.startIndex + 1]
            return (
                id: entry[entry.startIndex], across: Int(sampling >> 4), down: Int(sampling & 15),
                quantiser: Int(entry[entry.startIndex + 2] & 3)
            )
        }
        if frame.count == 1 {
            // A scan of one component has one block in a unit, whatever its sampling factors are.
            frame[0].across = 1
            frame[0].down = 1
            return true
        }
        return frame.count == 3 && (1...2).contains(frame[0].across) && (1...2).contains(frame[0].down)
            && frame[1...].allSatisfy { $0.across == 1 && $0.down == 1 } && frame.map(\.id) != Array("RGB".utf8)
    }

    private mutating func readTables(_ body: [UInt8]) -> Bool {
        var offset = 0
        while offset + 17 <= body.count {
            let slot = Int(body[offset] & 15)
            let counts = body[offset + 1..<offset + 17]
            let total = counts.reduce(0) { $0 + Int($1) }
            guard slot < 4, body[offset] >> 4 < 2, offset + 17 + total <= body.count else { return false }
            let isAC = body[offset] >> 4 == 1
            guard
                let table = HuffmanTable(counts: counts, symbols: body[offset + 17..<offset + 17 + total], isAC: isAC)
            else { return false }
            if isAC { ac[slot] = table } else { dc[slot] = table }
            offset += 17 + total
        }
        return offset == body.count
    }

    private mutating func readQuantisers(_ body: [UInt8]) -> Bool {
        var offset = 0
        while offset < body.count {
            let (isWide, slot) = (body[offset] >> 4 != 0, Int(body[offset] & 15))
            let size = isWide ? 128 : 64
            guard slot < 4, offset + 1 + size <= body.count else { return false }
            quantisers[slot] =
                isWide ? Int32(body[offset + 1]) << 8 | Int32(body[offset + 2]) : Int32(body[offset + 1])
            offset += 1 + size
        }
        return true
    }

    private mutating func readScan(_ body: [UInt8]) -> Bool {
        guard let count = body.first.map(Int.init), count == frame.count, count > 0, body.count >= 4 + count * 2 else {
            return false
        }
        for (index, part) in frame.enumerated() {
            let (id, slots) = (body[1 + index * 2], body[2 + index * 2])
            guard id == part.id, slots >> 4 < 4, slots & 15 < 4, let dc = dc[Int(slots >> 4)],
                let ac = ac[Int(slots & 15)]
            else { return false }
            components.append(
                JPEGScan.Component(
                    across: part.across, down: part.down, quantiser: quantisers[part.quantiser], dc: dc, ac: ac))
        }
        return true
    }
}
