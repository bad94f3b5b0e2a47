import Testing

@testable import ModelImport

/// The search for features in a network without such an output.
@Suite struct ONNXFeaturesTests {
    private func file(_ build: (inout ONNXGraph) -> Void) -> [UInt8] {
        var graph = ONNXGraph()
        _ = graph.uniqueName("x")
        _ = graph.uniqueName("y")
        graph.inputs = [ONNXGraph.Value(name: "x", shape: [1, 3, 4, 4], isBatchFree: false)]
        graph.outputs = [ONNXGraph.Value(name: "y", shape: [1, 2], isBatchFree: false)]
        build(&graph)
        return graph.serialized(name: "small")
    }

    private func reason(_ file: [UInt8]) -> String {
        do throws(ONNXError) {
            _ = try ONNXFeatures.adding(to: file, before: ["y"])
            return "found"
        } catch {
            return error.description
        }
    }

    @Test func aNetworkWithoutAClassifierIsRefusedWithTheReason() {
        let sum = file { graph in
            let one = graph.node("Relu", ["x"], outputs: ["one"])[0]
            let other = graph.node("Sigmoid", ["x"], outputs: ["other"])[0]
            graph.bind(graph.node("Add", [one, other], outputs: ["sum"])[0], to: "y")
        }
        #expect(reason(sum).contains("made of several values by Add"))
        let pooled = file { $0.bind($0.node("GlobalAveragePool", ["x"], outputs: ["pooled"])[0], to: "y") }
        #expect(reason(pooled).contains("nothing with weights computes the output “y”"), "\(reason(pooled))")
        let strange = file { $0.bind($0.node("Resize", ["x"], outputs: ["resized"])[0], to: "y") }
        #expect(reason(strange).contains("stands Resize"))
        let taken = file { graph in
            let inner = graph.node("Relu", ["x"], outputs: ["features"])[0]
            let weights = graph.constant(ONNXTensor([Float](repeating: 1, count: 6), shape: [2, 3, 1, 1]), named: "w")
            graph.bind(graph.node("Conv", [inner, weights], outputs: ["logits"])[0], to: "y")
        }
        #expect(reason(taken).contains("called “features” already"))
        #expect(reason([1, 2, 3]).contains("not an ONNX file"))
    }
}
