import Base

/// Puts a trained head on a network. The result keeps the part of the ONNX file that the output `features` needs, and
/// computes a new output from that. It runs by itself in any engine.
package struct ONNXGraft {
    /// A linear head: logits are `weights · features + bias`.
    package struct Head: Sendable {
        package let classes: Int
        /// Subtracted from the features before they are scaled to length 1. Nil leaves the features as they are.
        package let centre: [Float]?
        /// classes × features, row-major.
        package let weights: [Float]
        package let bias: [Float]

        package init(classes: Int, centre: [Float]? = nil, weights: [Float], bias: [Float]) {
            self.classes = classes
            self.centre = centre
            self.weights = weights
            self.bias = bias
        }

        /// The number of features that the head reads.
        fileprivate var features: Int { classes == 0 ? 0 : weights.count / classes }
    }

    /// The output that the head reads.
    package static let features = ONNXFeatures.output
    /// The output of the head, logits.
    package static let classes = "classes"

    private let file: ONNXFile

    /// - Parameter file: an ONNX file.
    /// - Throws: ``ONNXError`` if the file is not ONNX or lacks the output `features`.
    package init(_ file: [UInt8]) throws(ONNXError) {
        self.file = try ONNXFile(file)
        let outputs: [String]
        do throws(WireFormatError) {
            outputs = try self.file.outputs
        } catch {
            throw ONNXError("the base is not an ONNX file: \(error)")
        }
        guard outputs.contains(Self.features) else {
            throw ONNXError("the network has no output \"\(Self.features)\"")
        }
    }

    package func joined(with head: Head) throws(ONNXError) -> [UInt8] {
        do {
            return try serialized(head)
        } catch {
            throw ONNXError("the base cannot be read: \(error)")
        }
    }

    private func serialized(_ head: Head) throws(WireFormatError) -> [UInt8] {
        let (kept, names) = try needed()
        var addition = ONNXGraph(beside: names)
        let logits = addition.append(head, to: Self.features)
        if logits != Self.classes { addition.bind(logits, to: Self.classes) }
        var rest = addition.fields
        // The output has as many rows as the features.
        rest.value(Self.classes, [.named("rows"), .size(head.classes)], 12)
        return file.bytes(keeping: kept, adding: [rest.bytes])
    }

    /// The fields of the graph that the features need, and all names used in them.
    private func needed() throws(WireFormatError) -> (fields: [WireField], names: Set<String>) {
        let nodes = try file.nodes
        let keepsAll = nodes.contains(where: \.hasSubgraph)
        var wanted: Set<String> = [Self.features]
        var names: Set<String> = [Self.features]
        var offsets: Set<Int> = []
        for node in nodes.reversed() where keepsAll || node.outputs.contains(where: wanted.contains) {
            wanted.formUnion(node.inputs)
            names.formUnion(node.inputs + node.outputs)
            offsets.insert(node.field.offset)
        }
        var kept: [WireField] = []
        for field in file.graph.fields {
            switch field.number {
            // Facts about inner values may concern values that are removed.
            case 13: continue
            case 1 where !offsets.contains(field.offset): continue
            case 5:
                let name = try file.graph.nested("initializer", field).string("name", 8)
                guard keepsAll || wanted.contains(name) else { continue }
                names.insert(name)
            case 12:
                guard try file.graph.nested("output", field).string("name", 1) == Self.features else { continue }
            default: break
            }
            kept.append(field)
        }
        return (kept, names)
    }
}

extension ONNXGraph {
    /// Appends the nodes that compute logits from features.
    ///
    /// - Returns: the name of the logits.
    fileprivate mutating func append(_ head: ONNXGraft.Head, to features: String) -> String {
        let (classes, columns) = (head.classes, head.features)
        var transposed = [Float](repeating: 0, count: head.weights.count)
        for row in 0..<classes {
            for column in 0..<columns { transposed[column * classes + row] = head.weights[row * columns + column] }
        }
        var value = node("Flatten", [features], output: "head/features", attributes: ["axis": .integer(1)])
        if let centre = head.centre {
            let shift = constant(ONNXTensor(centre, shape: [1, columns]), named: "head/centre")
            value = node("Sub", [value, shift], output: "head/centred")
            // A matrix product sums the squares, because versions of ONNX differ in how reductions take axes.
            let squares = node("Mul", [value, value], output: "head/squares")
            let ones = constant(
                ONNXTensor([Float](repeating: 1, count: columns), shape: [columns, 1]), named: "head/ones")
            let sum = node("MatMul", [squares, ones], output: "head/sum")
            let least = constant(ONNXTensor([1e-12], shape: [1]), named: "head/least")
            let positive = node("Add", [sum, least], output: "head/positive")
            let length = node("Sqrt", [positive], output: "head/length")
            value = node("Div", [value, length], output: "head/direction")
        }
        let weights = constant(ONNXTensor(transposed, shape: [columns, classes]), named: "head/weights")
        let product = node("MatMul", [value, weights], output: "head/product")
        let bias = constant(ONNXTensor(head.bias, shape: [1, classes]), named: "head/bias")
        return node("Add", [product, bias], output: ONNXGraft.classes)
    }
}
