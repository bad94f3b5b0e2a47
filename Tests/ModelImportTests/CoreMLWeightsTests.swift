import Base
import Testing

@testable import ModelImport

@Suite("Weights of Core ML layers")
struct CoreMLWeightsTests {
    private func weights(_ content: (inout ProtocolBufferWriter) -> Void) throws -> CoreMLWeights {
        var writer = ProtocolBufferWriter()
        content(&writer)
        return try CoreMLWeights(ProtocolBufferMessage(writer.bytes))
    }

    private func linear(_ data: [UInt8], bits: Int, scales: [Float], biases: [Float]) throws -> CoreMLWeights {
        try weights { writer in
            writer.data(data, 30)
            writer.message(40) { quantisation in
                quantisation.integer(bits, 1)
                quantisation.message(101) { linear in
                    linear.floats(scales, 1)
                    linear.floats(biases, 2)
                }
            }
        }
    }

    @Test("Floats are read packed and one by one")
    func float32() throws {
        let packed = try weights { $0.floats([1, -2.5], 1) }
        #expect(try packed.floats(shape: [2], channelAxis: 0) == [1, -2.5])
        let loose = try weights { writer in
            writer.float(1, 1)
            writer.float(-2.5, 1)
            writer.floats([8], 1)
        }
        #expect(try loose.floats(shape: [3], channelAxis: 0) == [1, -2.5, 8])
        // A writer may give a tag more bytes than it needs.
        let longTag = try weights { $0.raw([0x8D, 0x00, 0, 0, 0x20, 0xC0]) }
        #expect(try longTag.floats(shape: [1], channelAxis: 0) == [-2.5])
    }

    @Test(
        "Halves widen exactly",
        arguments: [
            (0x3C00, 1), (0xC000, -2), (0x7BFF, 65504), (0x0001, 0x1p-24), (0x8001, -0x1p-24), (0x0400, 0x1p-14),
            (0x3555, 0.333251953125), (0x0000, 0), (0x7C00, .infinity), (0xFC00, -.infinity),
        ] as [(UInt16, Float)])
    func float16(bits: UInt16, expected: Float) throws {
        let half = try weights { $0.data([UInt8(bits & 0xFF), UInt8(bits >> 8)], 2) }
        #expect(try half.floats(shape: [1], channelAxis: 0) == [expected])
    }

    @Test("Half a NaN is a NaN")
    func notANumber() throws {
        let half = try weights { $0.data([0x00, 0x7E], 2) }
        #expect(try half.floats(shape: [1], channelAxis: 0)[0].isNaN)
    }

    @Test("Packed numbers of any width come out, the most significant bit first", arguments: 1...8)
    func unpacking(bits: Int) throws {
        let values = (0..<13).map { UInt8(($0 * 37) % (1 << bits)) }
        var packed: [UInt8] = []
        let all = values.flatMap { value in (0..<bits).reversed().map { value >> UInt8($0) & 1 } }
        for start in stride(from: 0, to: all.count, by: 8) {
            packed.append((0..<8).reduce(0) { $0 << 1 | (start + $1 < all.count ? all[start + $1] : 0) })
        }
        #expect(CoreMLWeights.unpack(packed[...], bits: bits, count: 13) == values)
        let quantised = try linear(packed, bits: bits, scales: [0.5], biases: [-1])
        #expect(try quantised.floats(shape: [13], channelAxis: 0) == values.map { Float($0) * 0.5 - 1 })
    }

    @Test("Each output channel has its scale, on the first axis or the second")
    func channels() throws {
        let first = try linear([1, 2, 3, 4], bits: 8, scales: [1, 10], biases: [0, 5])
        #expect(try first.floats(shape: [2, 2], channelAxis: 0) == [1, 2, 35, 45])
        let second = try linear([1, 2, 3, 4], bits: 8, scales: [1, 10], biases: [0, 5])
        #expect(try second.floats(shape: [2, 2], channelAxis: 1) == [1, 25, 3, 45])
    }

    @Test("A lookup table gives its values")
    func table() throws {
        let quantised = try weights { writer in
            writer.data([0b1101_1000], 30)
            writer.message(40) { quantisation in
                quantisation.integer(2, 1)
                quantisation.message(102) { $0.floats([0, 0.1, 0.2, 0.3], 1) }
            }
        }
        #expect(try quantised.floats(shape: [4], channelAxis: 0) == [0.3, 0.1, 0.2, 0])
    }

    @Test("Signed bytes have one scale")
    func signedBytes() throws {
        let quantised = try weights { writer in
            writer.data([0xFF, 0x7F], 31)
            writer.message(40) { $0.message(101) { $0.floats([0.5], 1) } }
        }
        #expect(try quantised.floats(shape: [2], channelAxis: 0) == [-0.5, 63.5])
    }

    @Test("Numbers that do not fit their shape, or no scheme, are refused")
    func mismatches() throws {
        #expect(throws: WireFormatError.self) {
            try weights { $0.floats([1, 2, 3], 1) }.floats(shape: [2, 2], channelAxis: 0)
        }
        #expect(throws: WireFormatError.self) {
            try weights { $0.floats([1], 1) }.floats(shape: [Int.max, Int.max], channelAxis: 0)
        }
        #expect(throws: WireFormatError.self) { try linear([1], bits: 9, scales: [1], biases: [0]) }
        #expect(throws: WireFormatError.self) { try linear([1], bits: 8, scales: [1, 2], biases: [0]) }
        #expect(throws: WireFormatError.self) { try weights { $0.data([1], 30) } }
        #expect(throws: WireFormatError.self) {
            try linear([1, 2], bits: 8, scales: [1, 2, 3], biases: [0, 0, 0]).floats(shape: [2], channelAxis: 0)
        }
    }
}
