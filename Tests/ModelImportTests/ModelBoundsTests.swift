import Base
import TestSupport
import Testing

@testable import ModelImport

@Suite struct ModelBoundsTests {
    private func network(_ build: (inout ProtocolBufferWriter) -> Void) -> [UInt8] {
        var model = ProtocolBufferWriter()
        model.message(7, build)
        return model.bytes
    }

    private func refusal(_ bytes: [UInt8], _ form: ModelBounds.Form) -> String? {
        do {
            try ModelBounds.check(bytes, as: form)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func operationsOfAllGraphsCountTogether() {
        let many = network { graph in
            graph.message(1) { node in
                node.string("If", 4)
                for _ in 0..<2 {
                    node.message(5) { attribute in
                        attribute.message(6) { inner in
                            for _ in 0..<10_000 { inner.message(1) { $0.string("Sin", 4) } }
                        }
                    }
                }
            }
        }
        #expect(refusal(many, .onnx)?.contains("operations; at most 20000") == true)
        #expect(refusal(ONNXGraph.smallest, .onnx) == nil)
    }

    @Test func shapesThatNoMachineHoldsAreRefused() {
        for dimensions in [[1 << 30], [1 << 20, 1 << 20], [Int.max, Int.max], Array(repeating: 2, count: 17)] {
            let tensor = network { graph in graph.message(5) { $0.integers(dimensions, 1) } }
            #expect(refusal(tensor, .onnx) != nil, "\(dimensions)")
        }
        #expect(refusal(network { graph in graph.message(5) { $0.integers([-1, 0, 1 << 29], 1) } }, .onnx) == nil)
    }

    @Test func xmlIsHeldToBoundsToo() {
        func net(_ inside: String) -> [UInt8] { Array("<net><layers>\(inside)</layers></net>".utf8) }
        #expect(refusal(net("<layer id=\"0\"><port><dim>8</dim></port></layer>"), .openVINO) == nil)
        #expect(refusal(net(String(repeating: "<layer id=\"0\"/>", count: 20_001)), .openVINO) != nil)
        #expect(refusal(net("<port><dim>99999</dim><dim>99999</dim></port>"), .openVINO) != nil)
        #expect(refusal(Array(String(repeating: "<a>", count: 100_000).utf8), .openVINO) != nil)
        #expect(refusal(Array("<net".utf8), .openVINO) != nil)
    }

    /// Offsets that lead out of the file, in circles, or overflow.
    @Test func damagedFlatBuffersAreRefused() {
        var bytes = [UInt8](repeating: 0xFF, count: 64)
        bytes.replaceSubrange(4..<8, with: Array("TFL3".utf8))
        #expect(refusal(bytes, .tensorFlowLite) != nil)
        #expect(refusal([0, 0, 0, 0] + Array("TFL3".utf8), .tensorFlowLite) != nil)
        #expect(refusal([], .tensorFlowLite) != nil)
        for seed in 0..<500 {
            var state = UInt64(seed)
            for index in bytes.indices where index > 7 || index < 4 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes[index] = UInt8(truncatingIfNeeded: state >> (seed % 2 == 0 ? 62 : 56))
            }
            _ = refusal(bytes, .tensorFlowLite)
        }
    }
}
