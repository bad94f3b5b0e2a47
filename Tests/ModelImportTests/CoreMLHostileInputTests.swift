import Base
import TestSupport
import Testing

@testable import ModelImport

@Suite("Hostile Core ML files")
struct CoreMLHostileInputTests {
    /// A file of a few hundred bytes with every kind of field of a classifier.
    private static let sample: [UInt8] = {
        var file = CoreMLFile(labels: ["cat", "dog"])
        file.preprocessing = [{ $0.message(10) { $0.float(0.5, 10) } }]
        file.layers = [
            CoreMLFile.layer(.convolution, name: "conv", to: ["a"]) { writer in
                writer.integer(2, 1)
                writer.integer(3, 2)
                writer.integers([1, 1], 20)
                writer.message(51) { $0.integer(1, 1) }
                writer.message(90, CoreMLFile.weights([1, 2, 3, 4, 5, 6]))
            },
            CoreMLFile.layer(.pooling, name: "pool", from: ["a"], to: ["b"]) { writer in
                writer.integers([2, 2], 10)
                writer.integers([2, 2], 20)
                writer.message(32) { $0.integers([0, 0], 10) }
            },
            CoreMLFile.layer(.pooling, name: "global", from: ["b"], to: ["c"]) { writer in
                writer.integer(1, 1)
                writer.integer(1, 60)
            },
            CoreMLFile.layer(.innerProduct, name: "fc", from: ["c"], to: ["d"]) { writer in
                writer.integer(2, 1)
                writer.integer(2, 2)
                writer.message(20) { weights in
                    weights.data([0b0110_1100], 30)
                    weights.message(40) { quantisation in
                        quantisation.integer(2, 1)
                        quantisation.message(102) { $0.floats([0, 1, 2, 3], 1) }
                    }
                }
            },
            CoreMLFile.layer(.softmax, name: "softmax", from: ["d"]),
        ]
        return file.bytes
    }()

    /// The result must be a value or a ``CoreMLError``. Anything else ends the test process.
    private func importing(_ bytes: [UInt8]) -> Bool {
        do throws(CoreMLError) {
            _ = try CoreMLModel(parsing: bytes).convert()
            return true
        } catch {
            #expect(!error.description.isEmpty)
            return false
        }
    }

    @Test("The sample itself is sound")
    func sample() {
        #expect(importing(Self.sample))
    }

    @Test("A file cut off anywhere is refused")
    func truncation() {
        for length in 0..<Self.sample.count {
            #expect(!importing(Array(Self.sample[..<length])), "\(length) bytes")
        }
    }

    @Test("Any single byte may have any value")
    func everyByte() {
        for position in Self.sample.indices {
            for value in [0x00, 0x01, 0x7F, 0x80, 0xFF, Self.sample[position] ^ 0x08, Self.sample[position] &+ 1] {
                var bytes = Self.sample
                bytes[position] = UInt8(value)
                _ = importing(bytes)
            }
        }
    }

    @Test("Several bytes may have any value", arguments: 0..<8)
    func randomBytes(seed: Int) {
        var random = SeededNumbers(seed: UInt64(seed) &* 7919 &+ 1)
        for _ in 0..<2000 {
            var bytes = Self.sample
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = importing(bytes)
        }
    }

    @Test(
        "A real file may be damaged anywhere", .enabled(if: CoreMLFixture.areThere, CoreMLFixture.absence))
    func realFile() throws {
        let original = try CoreMLFixture(name: "mnistCNN").bytes()
        var random = SeededNumbers(seed: 42)
        for _ in 0..<60 {
            var bytes = original
            // The structure lies at both ends and between the weights.
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<600, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            _ = importing(bytes)
            #expect(!importing(Array(original[..<Int.random(in: original.indices, using: &random)])))
        }
    }

    @Test("Bytes that are no Core ML file are refused", arguments: [[], [0], Array("{\"a\": 1}".utf8), [0x08, 0x01]])
    func otherFiles(bytes: [UInt8]) {
        #expect(throws: CoreMLError.self) { try CoreMLModel(parsing: bytes) }
    }

    @Test("Pipelines inside pipelines end at a depth")
    func nestedPipelines() {
        var bytes = Self.sample
        for _ in 0..<500 {
            var writer = ProtocolBufferWriter()
            writer.integer(1, 1)
            writer.message(202) { $0.data(bytes, 1) }
            bytes = writer.bytes
        }
        #expect(!importing(bytes))
    }

    @Test("Sizes that no memory holds are refused before they are allocated", arguments: HugeLayer.all)
    func hugeSizes(layer: HugeLayer) {
        var file = CoreMLFile(isExact: layer.isExact)
        file.layers = [layer.content]
        #expect(!importing(file.bytes))
    }

    @Test("A chain of doublings is refused where it outgrows the cap")
    func doublings() {
        var file = CoreMLFile()
        file.layers = (0..<40).map { index in
            let names = [index == 0 ? "x" : "\(index)", index == 39 ? "y" : "\(index + 1)"]
            return CoreMLFile.layer(.upsample, from: [names[0]], to: [names[1]]) { $0.integers([2, 2], 1) }
        }
        #expect(!importing(file.bytes))
    }
}

/// A layer that requests more values than the file holds.
struct HugeLayer: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let isExact: Bool
    let content: @Sendable (inout ProtocolBufferWriter) -> Void

    private static let huge = Int(Int32.max)

    static let all: [HugeLayer] = [
        HugeLayer(testDescription: "convolution", isExact: false) { writer in
            CoreMLFile.layer(.convolution) { layer in
                layer.integer(huge, 1)
                layer.integer(huge, 2)
                layer.integer(huge, 10)
                layer.integers([huge, huge], 20)
                layer.integers([huge, huge], 40)
            }(&writer)
        },
        HugeLayer(testDescription: "padding", isExact: false) { writer in
            CoreMLFile.layer(.padding) { layer in
                layer.message(10) { amounts in
                    for _ in 0..<2 { amounts.message(10) { $0.integer(huge, 2) } }
                }
            }(&writer)
        },
        HugeLayer(testDescription: "upsample", isExact: false) { writer in
            CoreMLFile.layer(.upsample) { $0.integers([huge, huge], 1) }(&writer)
        },
        HugeLayer(testDescription: "resize", isExact: false) { writer in
            CoreMLFile.layer(.resizeBilinear) { $0.integers([huge, huge], 1) }(&writer)
        },
        HugeLayer(testDescription: "sequence", isExact: false) { writer in
            CoreMLFile.layer(.sequenceRepeat) { $0.integer(huge, 1) }(&writer)
        },
        HugeLayer(testDescription: "split", isExact: false) { writer in
            CoreMLFile.layer(.split) { $0.integer(huge, 1) }(&writer)
        },
        HugeLayer(testDescription: "reorganise", isExact: false) { writer in
            CoreMLFile.layer(.reorganizeData) { $0.integer(huge, 2) }(&writer)
        },
        HugeLayer(testDescription: "constant", isExact: true) { writer in
            CoreMLFile.layer(.loadConstantND, from: []) { $0.integers([huge, huge, huge, huge], 1) }(&writer)
        },
        HugeLayer(testDescription: "fill", isExact: true) { writer in
            CoreMLFile.layer(.fillStatic, from: []) { $0.integers([huge, huge], 2) }(&writer)
        },
        HugeLayer(testDescription: "tile", isExact: true) { writer in
            CoreMLFile.layer(.tile) { $0.integers([huge, huge, huge, huge], 1) }(&writer)
        },
        HugeLayer(testDescription: "reshape", isExact: true) { writer in
            CoreMLFile.layer(.reshapeStatic) { $0.integers([Int.max, Int.min, -1], 1) }(&writer)
        },
        HugeLayer(testDescription: "slice", isExact: true) { writer in
            CoreMLFile.layer(.sliceStatic) { layer in
                layer.integers([Int.min, Int.max, 0, 0], 1)
                layer.integers([Int.max, Int.min, 8, 8], 3)
                layer.integers([1, Int.min, 1, 1], 5)
            }(&writer)
        },
        HugeLayer(testDescription: "axis", isExact: true) { writer in
            CoreMLFile.layer(.softmaxND) { $0.integer(Int.min, 1) }(&writer)
        },
    ]
}
