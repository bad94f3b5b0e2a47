/// The file header and information header of a Windows or OS/2 bitmap.
struct BMPHeader: Equatable {
    /// The storage of pixels (`biCompression`).
    enum Storage: Int {
        case plain = 0, runLength8, runLength4, bitFields
        case alphaBitFields = 6
    }

    let width: Int
    let height: Int
    /// Whether rows run from the bottom up. A negative height means from the top down.
    let isBottomUp: Bool
    let bitsPerPixel: Int
    let storage: Storage
    /// Offset of the first pixel byte.
    let pixelOffset: Int
    /// Colours for 1, 2, 4 and 8 bits: R, G, B.
    let palette: [[UInt8]]
    /// Masks of red, green and blue for 16 and 32 bits.
    let masks: [UInt32]

    init(parsing bytes: [UInt8]) throws(ImagingError) {
        func number(_ offset: Int, _ count: Int) throws(ImagingError) -> Int {
            guard offset >= 0, offset + count <= bytes.count else { throw .truncated }
            return bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        let size = try number(14, 4)
        let isCore = size == 12
        guard isCore || (16...256).contains(size) else { throw .notAnImage }
        pixelOffset = try number(10, 4)
        width = isCore ? try number(18, 2) : Int(Int32(truncatingIfNeeded: try number(18, 4)))
        let signedHeight = isCore ? try number(20, 2) : Int(Int32(truncatingIfNeeded: try number(22, 4)))
        height = abs(signedHeight)
        isBottomUp = signedHeight > 0
        bitsPerPixel = try number(isCore ? 24 : 28, 2)
        let compression = size >= 20 ? try number(30, 4) : 0
        guard let storage = Storage(rawValue: compression) else {
            throw .unsupportedFormat("BMP with compression \(compression)")
        }
        self.storage = storage
        guard width > 0, height > 0 else { throw .corrupt("the header says \(width)×\(height) pixels") }
        switch (bitsPerPixel, storage) {
        case (1, .plain), (2, .plain), (4, .plain), (8, .plain), (16, .plain), (24, .plain), (32, .plain),
            (8, .runLength8), (4, .runLength4), (16, .bitFields), (32, .bitFields), (16, .alphaBitFields),
            (32, .alphaBitFields):
            break
        default:
            throw .unsupportedFormat("BMP with \(bitsPerPixel) bits a pixel and compression \(compression)")
        }

        var paletteOffset = 14 + size
        var masks: [UInt32] = bitsPerPixel == 16 ? [0x7C00, 0x03E0, 0x001F] : [0xFF0000, 0xFF00, 0xFF]
        if storage == .bitFields || storage == .alphaBitFields {
            for channel in 0..<3 { masks[channel] = UInt32(try number(54 + channel * 4, 4)) }
            if size == 40 { paletteOffset += storage == .bitFields ? 12 : 16 }
        }
        self.masks = masks

        var palette: [[UInt8]] = []
        if bitsPerPixel <= 8 {
            let announced = size >= 36 ? try number(46, 4) : 0
            let entrySize = isCore ? 3 : 4
            let count = announced == 0 ? 1 << bitsPerPixel : min(announced, 1 << bitsPerPixel)
            for index in 0..<count {
                let offset = paletteOffset + index * entrySize
                // A palette that runs into the pixels is cut short. Missing colours are black.
                guard offset + 3 <= min(bytes.count, max(pixelOffset, paletteOffset)) else { break }
                palette.append([bytes[offset + 2], bytes[offset + 1], bytes[offset]])
            }
        }
        self.palette = palette
    }
}
