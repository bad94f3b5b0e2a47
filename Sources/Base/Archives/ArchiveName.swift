/// Decodes the name of a file in an archive, in UTF-8 or in the code page of the machine that packed it.
///
/// An archive rarely tells the encoding. Windows uses the code page of its console (437 and similar ones), other
/// programs there use 1252. The letters of usual names are at 0x80 to 0xBF in the former and from 0xC0 in the latter.
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

    /// 0x80 to 0x9F of the code page 1252 (Unicode's mapping `CP1252.TXT`). The five undefined ones stay as they are.
    private static let windows1252 = Array(
        "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)
}

package protocol ArchiveSource: Sendable {
    /// The size in bytes.
    var count: Int { get }

    /// Reads `count` bytes, or fewer if the archive ends earlier.
    /// - Parameter position: 0 or more.
    func bytes(at position: Int, count: Int) async throws -> [UInt8]
}

/// The reason why an archive cannot be read.
package enum ArchiveError: Error {
    case notAnArchive
    case notATAR
    case damaged(String)
    case unsupported(String)
    case tooLarge(String, limit: Int)
}

extension ArchiveError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAnArchive: "The body is not a ZIP archive."
        case .notATAR: "The body is not a TAR archive."
        case .damaged(let detail): "The archive is damaged: \(detail)."
        case .unsupported(let detail): "The archive cannot be read: \(detail)."
        case .tooLarge(let name, let limit): "\(name) in the archive has more than \(limit) bytes."
        }
    }
}
