import Base
import Foundation
import TestSupport
import Testing
@testable import Recognition

/// The folder of compiled models at the start of the service.
@Suite("Compiled models between starts", .slow) struct CompiledModelTests {
    let folder = FileManager.default.temporaryDirectory.appending(path: "compiled-\(UUID().uuidString)")

    func engine(
        _ precision: ModelManifest.Precision = .f32, lanes: Int = 1, directory: String? = nil
    ) throws -> OpenVINOEngine {
        try TestModels.engine(
            EngineOptions(precision: precision, lanes: lanes, cacheDirectory: directory ?? folder.path))
    }

    /// A model that was compiled once for all tests: its file and its answers.
    private static let compiled = Result {
        let tests = CompiledModelTests()
        defer { try? FileManager.default.removeItem(at: tests.folder) }
        let answers = try tests.answers(tests.engine())
        let file = tests.folder.appending(path: try #require(tests.files().first))
        return (name: file.lastPathComponent, bytes: try Data(contentsOf: file), answers: answers)
    }

    /// Puts the model that was compiled for all tests into the folder.
    ///
    /// - Returns: its file and its answers.
    private func compiled() throws -> (file: URL, answers: [ModelOutput]) {
        let (name, bytes, answers) = try Self.compiled.get()
        let file = folder.appending(path: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try bytes.write(to: file)
        return (file, answers)
    }

    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    func answers(_ engine: OpenVINOEngine) throws -> [ModelOutput] {
        try TestModels.noise(4, size: engine.inputSize).map { try engine.infer($0, lane: 0) }
    }

    @Test func `a kept model gives the same bits, and is not written again`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let first = try answers(engine())
        let file = folder.appending(path: try #require(files().first))
        let written = try Data(contentsOf: file)
        let inode = try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int
        let second = try engine()
        #expect(try answers(second) == first)
        #expect(second.lanes == 1)
        #expect(try files() == [file.lastPathComponent])
        #expect(try Data(contentsOf: file) == written)
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int == inode)
    }

    @Test func `a new model is run from its file, too, without what compiling it left`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let engine = try engine()
        let file = try #require(files().first)
        // The mapped file lives as long as the model that was read from it.
        let maps = try mappings()
        withExtendedLifetime(engine) { #expect(maps.contains(file)) }
    }

    /// The text of `/proc/self/maps`. Foundation reads only the first page of a file without a size.
    private func mappings() throws -> String {
        let file = try #require(fopen("/proc/self/maps", "r"))
        defer { fclose(file) }
        var (text, piece) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        while case let count = fread(&piece, 1, piece.count, file), count > 0 { text += piece[..<count] }
        return String(decoding: text, as: UTF8.self)
    }

    @Test func `little memory leaves loops out, but not where answers have to be Python's`() {
        func leavesLoopsOut(_ precision: ModelManifest.Precision, savesMemory: Bool, avoidsInt8: Bool) -> Bool {
            var options = EngineOptions(precision: precision, lanes: 1)
            options.savesMemory = savesMemory
            return options.properties(streams: 1, avoidsInt8: avoidsInt8).contains { $0.key == "SNIPPETS_MODE" }
        }
        for avoidsInt8 in [false, true] {
            #expect(leavesLoopsOut(.automatic, savesMemory: true, avoidsInt8: avoidsInt8))
            #expect(!leavesLoopsOut(.automatic, savesMemory: false, avoidsInt8: avoidsInt8))
        }
        #expect(leavesLoopsOut(.f32, savesMemory: true, avoidsInt8: false))
        #expect(!leavesLoopsOut(.f32, savesMemory: true, avoidsInt8: true))
    }

    @Test func `other options have a file of their own`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try engine()
        _ = try engine(.automatic)
        #expect(try files().count == 2)
    }

    @Test func `all lanes share a file`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(try engine(lanes: 3).lanes == 3)
        #expect(try files().count == 1)
    }

    @Test(arguments: ["a byte changed", "cut off", "emptied", "of another kind"])
    func `a damaged file is compiled anew and replaced`(_ damage: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, first) = try compiled()
        let sound = try Data(contentsOf: file)
        var data = sound
        switch damage {
        case "a byte changed": data[data.count / 2] ^= 1
        case "cut off": data.removeLast(data.count / 3)
        case "emptied": data = Data()
        default: data = Data(repeating: 0x41, count: 5000)
        }
        try data.write(to: file)
        #expect(try answers(engine()) == first)
        // OpenVINO's file differs in some bytes every time.
        let renewed = try Data(contentsOf: file)
        #expect(renewed != data && renewed.count > sound.count * 9 / 10)
        // The file is valid, so the next start uses it and writes no other.
        let inode = try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int
        #expect(try answers(engine()) == first)
        #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.systemFileNumber] as? Int == inode)
        #expect(try Data(contentsOf: file) == renewed)
    }

    @Test func `compiling the same model at the same time leaves one valid file`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let single = try engine(directory: "/proc/compiled")
        let photo = TestModels.noise(1, size: single.inputSize)[0]
        let answer = try single.infer(photo, lane: 0)
        for round in 0..<3 {
            let directory = folder.appending(path: "\(round)").path
            try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
            let found = try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await onThread { try engine(directory: directory).infer(photo, lane: 0) }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(found == Array(repeating: answer, count: 4))
            let files = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(files.count == 1 && files.allSatisfy { $0.hasSuffix(".compiled") })
            // The next start uses the file unchanged.
            let file = "\(directory)/\(files.first ?? "")"
            let written = try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int
            #expect(try engine(directory: directory).infer(photo, lane: 0) == answer)
            #expect(try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int == written)
        }
    }

    @Test func `what a killed start left is not taken for a model`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, first) = try compiled()
        try FileManager.default.moveItem(at: file, to: file.appendingPathExtension("1.partial"))
        #expect(try answers(engine()) == first)
        #expect(try files().contains(file.lastPathComponent))
    }

    @Test func `a folder that cannot be made costs nothing but time`() throws {
        let engine = try engine(directory: "/proc/compiled")
        #expect(try answers(engine).count == 4)
    }

    @Test func `a missing data folder is not created`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let engine = try engine(directory: folder.appending(path: "data/compiled").path)
        #expect(try answers(engine).count == 4)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test func `the oldest files make room`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for number in 0..<20 {
            let file = folder.appending(path: "old-\(number)")
            try Data("x".utf8).write(to: file)
            let date = Date(timeIntervalSince1970: 1_000_000 + Double(number))
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
        }
        _ = try engine()
        let left = try files()
        #expect(left.count == CompiledModelFile.capacity)
        #expect(left.filter { $0.hasPrefix("old-") }.contains("old-19"))
        #expect(!left.contains("old-0"))
    }
}
