import Base
import Testing

@testable import ModelImport

@Suite("The protocol buffer wire format")
struct WireFormatTests {
    private func message(_ bytes: [UInt8]) throws -> ProtocolBufferMessage { try ProtocolBufferMessage(bytes) }

    @Test("The encoding's own examples are read")
    func examples() throws {
        // https://protobuf.dev/programming-guides/encoding/: 150 in field 1, "testing" in field 2, packed 3, 270, 86942.
        #expect(try message([0x08, 0x96, 0x01]).integer("a", 1) == 150)
        #expect(try message([0x12, 0x07] + Array("testing".utf8)).string("b", 2) == "testing")
        let packed: [UInt8] = [0x32, 0x06, 0x03, 0x8E, 0x02, 0x9E, 0xA7, 0x05]
        #expect(try message(packed).integers("f", 6) == [3, 270, 86942])
        #expect(try message([0x30, 0x03, 0x30, 0x04]).integers("f", 6) == [3, 4])
    }

    @Test("Negative numbers take ten bytes, and the last value of a singular field counts")
    func negativeAndRepeated() throws {
        let minusTwo: [UInt8] = [0x08, 0xFE] + Array(repeating: 0xFF, count: 8) + [0x01]
        #expect(try message(minusTwo).integer("a", 1) == -2)
        #expect(try message([0x08, 0x01, 0x08, 0x05]).integer("a", 1) == 5)
        #expect(try message([]).integer("a", 1) == 0)
    }

    @Test("What the writer writes, the reader reads")
    func roundTrip() throws {
        var writer = ProtocolBufferWriter()
        writer.integer(-7, 1)
        writer.float(1.5, 2)
        writer.string("Äpfel", 3)
        writer.floats([0.25, -3], 4)
        writer.integers([1, -1, 300], 5)
        writer.message(600) { $0.integer(9, 536_870_911) }
        let read = try message(writer.bytes)
        #expect(try read.integer("a", 1) == -7)
        #expect(try read.float("b", 2) == 1.5)
        #expect(try read.string("c", 3) == "Äpfel")
        #expect(try read.floats("d", 4) == [0.25, -3])
        #expect(try read.integers("e", 5) == [1, -1, 300])
        #expect(try read.message("f", 600)?.integer("g", 536_870_911) == 9)
    }

    @Test(
        "Malformed bytes are refused with their place",
        arguments: [
            ([0x08], 1, "cut off"),
            ([0x08, 0x80], 1, "cut off"),
            ([0x08] + Array(repeating: UInt8(0xFF), count: 10), 1, "64 bits"),
            ([0x12, 0x05, 0x41], 1, "past"),
            ([0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], 1, "past"),
            ([0x0D, 0x00], 1, "4 bytes"),
            ([0x09, 0x00], 1, "8 bytes"),
            ([0x08, 0x01, 0x0B], 2, "wire type 3"),
            ([0x00, 0x01], 0, "field number 0"),
        ] as [([UInt8], Int, String)])
    func malformed(bytes: [UInt8], offset: Int, reason: String) throws {
        let error = try #require(throws: WireFormatError.self) { _ = try message(bytes) }
        #expect(error.offset == offset)
        #expect(error.reason.contains(reason))
    }

    @Test("A field of another type, text that is not UTF-8 and a size beyond 2³¹ are refused")
    func mismatches() throws {
        #expect(throws: WireFormatError.self) { try message([0x08, 0x01]).string("a", 1) }
        #expect(throws: WireFormatError.self) { try message([0x0A, 0x01, 0x00]).integer("a", 1) }
        #expect(throws: WireFormatError.self) { try message([0x0A, 0x01, 0xFF]).string("a", 1) }
        #expect(throws: WireFormatError.self) { try message([0x0A, 0x03, 0, 0, 0]).floats("a", 1) }
        #expect(throws: WireFormatError.self) { try message([0x08, 0x80, 0x80, 0x80, 0x80, 0x08]).size("a", 1) }
    }

    @Test("Messages nested too deep are refused")
    func depth() throws {
        var bytes: [UInt8] = []
        for _ in 0..<200 {
            var writer = ProtocolBufferWriter()
            writer.data(bytes, 1)
            bytes = writer.bytes
        }
        let outermost = try message(bytes)
        let error = try #require(throws: WireFormatError.self) {
            var level: ProtocolBufferMessage? = outermost
            for _ in 0..<200 { level = try level?.message("a", 1) }
        }
        #expect(error.reason.contains("nested deeper"))
    }
}
