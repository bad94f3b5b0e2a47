/// TensorFlow Lite (schema.fbs: `Model`, `SubGraph`, `Tensor`), a FlatBuffer
/// (https://flatbuffers.dev/internals/).
extension GraphCount {
    mutating func addTensorFlowLite(_ bytes: [UInt8]) throws {
        let file = FlatBuffer(bytes: bytes)
        guard bytes.count >= 8, bytes[4..<8].elementsEqual(Array("TFL3".utf8)) else {
            throw ModelBoundsError("the file is not a TensorFlow Lite model")
        }
        let model = try file.offset(at: 0)
        let graphs = try file.tables(of: model, field: 2)
        guard !graphs.isEmpty else { throw ModelBoundsError("the file holds no graph") }
        guard graphs.count <= ModelBounds.depth else {
            throw ModelBoundsError.tooMany("graphs", graphs.count, most: ModelBounds.depth)
        }
        for graph in graphs {
            try addNodes(try file.tables(of: graph, field: 3).count)
            for tensor in try file.tables(of: graph, field: 0) {
                try check(shape: try file.integers(of: tensor, field: 0, most: ModelBounds.dimensions))
            }
        }
    }
}

/// Reads tables and vectors of a FlatBuffer. A position outside the file is an error.
private struct FlatBuffer {
    let bytes: [UInt8]

    private func integer(_ position: Int, _ count: Int) throws(ModelBoundsError) -> Int {
        guard position >= 0, position <= bytes.count - count else { throw ModelBoundsError("the file is cut off") }
        return (0..<count).reversed().reduce(0) { $0 << 8 | Int(bytes[position + $1]) }
    }

    /// The target of the unsigned offset at a position.
    func offset(at position: Int) throws(ModelBoundsError) -> Int { position + (try integer(position, 4)) }

    /// The position of a field of a table. Nil if the field is left out.
    private func field(_ number: Int, of table: Int) throws(ModelBoundsError) -> Int? {
        let distance = Int(Int32(truncatingIfNeeded: try integer(table, 4)))
        let list = table - distance
        let size = try integer(list, 2)
        let entry = 4 + 2 * number
        guard entry + 2 <= size else { return nil }
        let offset = try integer(list + entry, 2)
        return offset == 0 ? nil : table + offset
    }

    /// The position and the number of the elements of a vector, which have four bytes each.
    private func vector(of table: Int, field number: Int) throws(ModelBoundsError) -> (start: Int, count: Int) {
        guard let field = try field(number, of: table) else { return (0, 0) }
        let vector = try offset(at: field)
        let count = try integer(vector, 4)
        guard count <= (bytes.count - vector - 4) / 4 else { throw ModelBoundsError("the file is cut off") }
        return (vector + 4, count)
    }

    func tables(of table: Int, field: Int) throws(ModelBoundsError) -> [Int] {
        let (start, count) = try vector(of: table, field: field)
        guard count <= 1 << 20 else { throw .tooMany("tensors or operations", count, most: 1 << 20) }
        return try (0..<count).map { index throws(ModelBoundsError) in try offset(at: start + 4 * index) }
    }

    /// A vector of signed 32-bit integers.
    func integers(of table: Int, field: Int, most: Int) throws(ModelBoundsError) -> [Int] {
        let (start, count) = try vector(of: table, field: field)
        guard count <= most else { throw .tooMany("dimensions in one tensor", count, most: most) }
        return try (0..<count).map { index throws(ModelBoundsError) in
            Int(Int32(truncatingIfNeeded: try integer(start + 4 * index, 4)))
        }
    }
}
