/// The name of a file as an archive keeps it: in UTF-8, or in what the machine that packed it used.
///
/// An archive rarely says which. Windows packs in the code page of its console (437 and its kin), other programs there in
/// 1252. In names that people give, letters lie from 0x80 to 0xBF in the former and from 0xC0 on in the latter.
enum ArchiveName {
    static func text(_ bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        let isWindows1252 = bytes.contains { $0 >= 0xC0 }
        return String(
            String.UnicodeScalarView(
                bytes.map { byte in
                    switch byte {
                    case 0..<0x80: Unicode.Scalar(byte)
                    case 0x80..<0xA0 where isWindows1252: windows1252[Int(byte) - 0x80]
                    case 0x80..<0xC0 where !isWindows1252: codePage437[Int(byte) - 0x80]
                    default: Unicode.Scalar(byte)
                    }
                }))
    }

    /// 0x80 to 0xBF of the code page 437 (Unicode's mapping `CP437.TXT`).
    private static let codePage437 = Array(
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐".unicodeScalars)

    /// 0x80 to 0x9F of the code page 1252 (Unicode's mapping `CP1252.TXT`); the five that it leaves out stay what they are.
    private static let windows1252 = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)
}
