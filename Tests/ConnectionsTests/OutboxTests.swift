import Base
import Foundation
import TestSupport
import Testing

@testable import Connections

@Suite struct OutboxTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func outbox(_ limit: Int = 10) -> Outbox { Outbox(directory: folder.path + "/out", limit: limit) }

    private func texts(_ outbox: Outbox) -> [String] {
        outbox.oldest(100).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test func whatWaitsKeepsItsOrderOverARestart() throws {
        let first = outbox()
        for number in 1...3 { try first.add(Array("\(number)".utf8)) }
        first.remove(first.oldest(1)[0].number)
        let second = outbox()
        try second.add(Array("4".utf8))
        #expect(texts(second) == ["2", "3", "4"])
        #expect(second.count == 3)
    }

    @Test func theFolderOfARemovedReceiverGoesUnlessItIsLocked() throws {
        let outbox = outbox()
        try outbox.add([1])
        let lock = try #require(outbox.lock())
        #expect(Outbox.remove(directory: folder.path + "/out") == 0)
        #expect(FileSystem.names(in: folder.path + "/out").count == 1)
        FileSystem.closeDescriptor(lock)
        #expect(Outbox.remove(directory: folder.path + "/out") == 1)
        #expect(!FileSystem.isDirectory(folder.path + "/out"))
        #expect(Outbox.remove(directory: folder.path + "/out") == 0)
    }

    @Test func theOldestMakesRoom() throws {
        let outbox = outbox(2)
        for number in 1...5 { try outbox.add(Array("\(number)".utf8)) }
        #expect(texts(outbox) == ["4", "5"])
        #expect(outbox.dropped == 3)
        #expect(FileSystem.names(in: folder.path + "/out").count == 2)
    }

    @Test func strangeFilesAreNoMatter() throws {
        try folder.write(Array("x".utf8), "out/notes.txt")
        try folder.write(Array("x".utf8), "out/-.json")
        try folder.write(Array("x".utf8), "out/\(Int.max).json")
        try FileManager.default.createDirectory(atPath: folder.path + "/out/7.json", withIntermediateDirectories: true)
        let outbox = outbox()
        try outbox.add(Array("a".utf8))
        #expect(texts(outbox) == ["a"])
    }

    @Test func whatAKilledProcessBeganIsRemoved() throws {
        try folder.write(Array("x".utf8), "out/000000000001.json.A1.partial")
        #expect(texts(outbox()) == [])
        #expect(FileSystem.names(in: folder.path + "/out") == [])
    }

    @Test func aFileThatCannotBeReadNowWaits() throws {
        let outbox = outbox()
        for text in ["a", "b"] { try outbox.add(Array(text.utf8)) }
        let path = folder.path + "/out/000000000001.json"
        try FileManager.default.moveItem(atPath: path, toPath: path + ".aside")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
        #expect(texts(outbox) == ["b"])
        #expect(outbox.count == 2)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".aside", toPath: path)
        #expect(texts(outbox) == ["a", "b"])
    }

    @Test func aFileThatIsTooLargeIsDropped() throws {
        let outbox = outbox()
        for text in ["a", "b"] { try outbox.add(Array(text.utf8)) }
        try folder.write([UInt8](repeating: 0, count: 4 << 20 + 1), "out/000000000001.json")
        #expect(texts(outbox) == ["b"])
        #expect(outbox.count == 1)
    }

    @Test func aFolderThatCannotBeWrittenIsTold() throws {
        try folder.write([], "file")
        let outbox = Outbox(directory: folder.path + "/file", limit: 2)
        #expect(throws: FileError.self) { try outbox.add([1]) }
        #expect(outbox.count == 0)
    }
}
