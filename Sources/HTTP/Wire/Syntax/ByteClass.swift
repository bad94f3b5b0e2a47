/// The character classes of RFC 9110 and RFC 3986. Each is a set of ASCII bytes in two words, tested by a shift.
package enum ByteClass {
    /// tchar (RFC 9110 §5.6.2).
    @inline(__always) static func isToken(_ byte: UInt8) -> Bool {
        isMember(byte, 0x03FF_6CFA_0000_0000, 0x57FF_FFFF_C7FF_FFFE)
    }

    /// The characters of a request target: pchar, "/", "?" and "%" (RFC 3986 §3.3, §3.4).
    @inline(__always) static func isTarget(_ byte: UInt8) -> Bool {
        isMember(byte, 0xAFFF_FFF2_0000_0000, 0x47FF_FFFE_87FF_FFFF)
    }

    /// The characters of a Host: reg-name, IP-literal and port (RFC 3986 §3.2.2).
    @inline(__always) package static func isHost(_ byte: UInt8) -> Bool {
        isMember(byte, 0x2FFF_7FF2_0000_0000, 0x47FF_FFFE_AFFF_FFFE)
    }

    /// The characters of a field value: field-vchar, obs-text, SP and HTAB (RFC 9110 §5.5).
    @inline(__always) static func isFieldContent(_ byte: UInt8) -> Bool {
        (byte >= 0x20 && byte != 0x7F) || byte == 0x09
    }

    /// SP or HTAB.
    @inline(__always) package static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    @inline(__always) package static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    /// Changes ASCII letters only.
    @inline(__always) package static func lowercased(_ byte: UInt8) -> UInt8 {
        byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
    }

    /// - Parameters:
    ///   - low: bit n stands for byte n.
    ///   - high: bit n stands for byte 64 + n.
    @inline(__always) private static func isMember(_ byte: UInt8, _ low: UInt64, _ high: UInt64) -> Bool {
        byte < 0x80 && ((byte < 0x40 ? low : high) &>> UInt64(byte)) & 1 != 0
    }
}
