import Base
import Foundation

/// A file of results, one JSON object a line. A run appends to it, and a later run can continue it.
///
/// A line is written with one call. A killed process can leave one incomplete line, which the next run removes. Only
/// one run at a time can write to the file.
final class ResultsFile {
    private let path: String
    private let descriptor: Int32
    private var size: Int
    /// The paths of the photos with a result, as bytes. Two files may have names that are equal texts, since “ä” can be one
    /// code point or two.
    private(set) var done: Set<[UInt8]> = []
    /// The number of these that could not be classified.
    private(set) var failures = 0

    /// The fields that every line must have.
    private struct Line: Decodable {
        let photo: String
        let error: String?
    }

    /// Refuses to have a file replaced that is no JSON object.
    static func checkReplaceable(_ path: String) throws {
        guard let descriptor = try FileSystem.openIfPresent(path) else { return }
        defer { FileSystem.closeDescriptor(descriptor) }
        let first = try FileSystem.bytes(of: descriptor, at: 0, count: 1, path)
        guard first.isEmpty || first == [UInt8(ascii: "{")] else { throw ResultsFileError.noResult(path, line: 1) }
    }

    /// Opens or creates the file and reads its results.
    ///
    /// - Throws: `FileError`, or ``ResultsFileError`` if another run writes to it or a line is not a result.
    init(_ path: String) throws {
        self.path = path
        descriptor = try FileSystem.openIfPresent(path) ?? FileSystem.create(path, [])
        size = 0
        guard FileSystem.lock(descriptor) else { throw ResultsFileError.inUse(path) }
        try readLines()
        try FileSystem.truncate(descriptor, to: size, path)
    }

    deinit { FileSystem.closeDescriptor(descriptor) }

    /// - Parameter line: the line without its end.
    func append(_ line: [UInt8]) throws {
        try FileSystem.write(line + [UInt8(ascii: "\n")], to: descriptor, at: size, path)
        size += line.count + 1
    }

    func synchronize() throws { try FileSystem.synchronize(descriptor, path) }

    private func readLines() throws {
        let decoder = JSONDecoder()
        var number = 0
        var rest: [UInt8] = []
        var position = 0
        while true {
            let part = try FileSystem.bytes(of: descriptor, at: position, count: 1 << 20, path)
            if part.isEmpty {
                // A killed process leaves the beginning of a result. Anything else belongs to another file.
                let isWhole = (try? JSONSerialization.jsonObject(with: Data(rest))) != nil
                let isBeginning = rest.first == UInt8(ascii: "{") && !isWhole
                guard rest.isEmpty || isBeginning || (try? decoder.decode(Line.self, from: Data(rest))) != nil else {
                    throw ResultsFileError.noResult(path, line: number + 1)
                }
                return
            }
            position += part.count
            rest += part
            let lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            for line in lines.dropLast() {
                number += 1
                size += line.count + 1
                guard let result = try? decoder.decode(Line.self, from: Data(line)) else {
                    throw ResultsFileError.noResult(path, line: number)
                }
                done.insert(Array(result.photo.utf8))
                if result.error != nil { failures += 1 }
            }
            rest = Array(lines.last ?? [])
        }
    }
}

enum ResultsFileError: Error, Equatable, CustomStringConvertible {
    case inUse(String)
    case noResult(String, line: Int)

    var description: String {
        switch self {
        case .inUse(let path): "\(path): another process writes to it."
        case .noResult(let path, let line): "\(path), line \(line): no result of this command."
        }
    }
}
