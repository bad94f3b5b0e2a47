import Base
import Foundation
import Imaging

/// A partly downloaded file, with a note beside it of its address and the server's validator.
final class PartialFile: Sendable {
    let path: String
    private let address: String
    private let handle = Locked<FileHandle?>(nil)

    init(path: String, address: String) {
        self.path = path
        self.address = address
        if note.first != address { discard() }
    }

    /// The number of bytes downloaded so far.
    var count: Int { FileSystem.attributes(path)?.size ?? 0 }

    /// The strong entity tag or the date of the file (RFC 9110 §13.1.5). Without one, the download cannot be resumed.
    var validator: String? {
        let lines = note
        return lines.count == 2 && !lines[1].isEmpty ? lines[1] : nil
    }

    /// Begins to append, or starts again.
    func open(validator: String?, appending: Bool) throws {
        if !appending || !FileManager.default.fileExists(atPath: path) {
            try Data().write(to: URL(filePath: path))
        }
        try Data("\(address)\n\(validator ?? "")".utf8).write(to: URL(filePath: path + ".from"))
        let opened = try FileHandle(forWritingTo: URL(filePath: path))
        try opened.seekToEnd()
        handle.withLock { $0 = opened }
    }

    func append(_ data: Data) throws { try handle.withLock { try $0?.write(contentsOf: data) } }

    func close() {
        handle.withLock { handle in
            try? handle?.synchronize()
            try? handle?.close()
            handle = nil
        }
    }

    func discard() {
        try? FileManager.default.removeItem(atPath: path)
        try? FileManager.default.removeItem(atPath: path + ".from")
    }

    /// The SHA-256 of the bytes so far, in lower-case hexadecimal.
    func checksum() throws(ModelDownloadError) -> String {
        guard let data = try? Data(contentsOf: URL(filePath: path), options: .mappedIfSafe) else {
            throw .disk("\(path) cannot be read")
        }
        return data.withUnsafeBytes { ContentDigest(of: $0).hexadecimal }
    }

    private var note: [String] {
        let data = FileManager.default.contents(atPath: path + ".from")
        let text = data.map { String(decoding: $0, as: UTF8.self) } ?? ""
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}
