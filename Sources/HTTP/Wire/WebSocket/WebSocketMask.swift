/// The masking of RFC 6455 §5.3, by machine words.
enum WebSocketMask {
    /// Masks or unmasks in place.
    /// - Parameters:
    ///   - key: the masking key, whose first byte is the lowest.
    ///   - offset: the index of the first byte within the payload.
    static func apply(_ key: UInt32, to bytes: UnsafeMutableRawBufferPointer, offset: Int) {
        let rotation = UInt32(offset & 3) * 8
        let turned = rotation == 0 ? key : key >> rotation | key << (32 - rotation)
        let word = UInt64(turned) | UInt64(turned) << 32
        let count = bytes.count
        var index = 0
        while index &+ 8 <= count {
            let value = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            bytes.storeBytes(of: value ^ word.littleEndian, toByteOffset: index, as: UInt64.self)
            index &+= 8
        }
        var rest = word
        while index < count {
            bytes[index] ^= UInt8(truncatingIfNeeded: rest)
            rest >>= 8
            index &+= 1
        }
    }
}
