/// A constant that a `DequantizeLinear` node converts to floating point: `(value − zero point) · scale`. One scale and
/// zero point apply to all values, or each channel has its own.
///
/// Source: https://onnx.ai/onnx/operators/onnx__DequantizeLinear.html. Field and type numbers: onnx.proto,
/// `TensorProto` and `AttributeProto`.
struct ONNXQuantisedWeight: Sendable {
    /// The name of the node's result.
    let name: String
    /// Read only on demand, because the values are most of the file.
    private let values: ProtocolBufferMessage
    private let shape: [Int]
    private let scales: [Float]
    private let zeroPoints: [Int32]
    /// The number of consecutive values of a channel.
    private let stride: Int

    /// - Parameters:
    ///   - inputs: the values, scales and, if present, zero points of the node.
    ///   - attributes: the attributes of the node.
    /// - Returns: nil if the form is not supported here.
    init?(name: String, inputs: [ProtocolBufferMessage], attributes: [ProtocolBufferMessage]) throws(WireFormatError) {
        guard (2...3).contains(inputs.count), let axis = try Self.axis(of: attributes) else { return nil }
        (self.name, values) = (name, inputs[0])
        shape = try values.sizes("dims", 1)
        guard let count = shape.checkedProduct, try Self.count(of: values) == count,
            let scales = try Self.floats(of: inputs[1])
        else { return nil }
        self.scales = scales
        if inputs.count == 3 {
            guard let zeroPoints = try Self.integers(of: inputs[2]), zeroPoints.count == scales.count else {
                return nil
            }
            self.zeroPoints = zeroPoints
        } else {
            zeroPoints = Array(repeating: 0, count: scales.count)
        }
        if scales.count == 1 {
            stride = count
        } else {
            let axis = axis < 0 ? axis + shape.count : axis
            guard shape.indices.contains(axis), shape[axis] == scales.count,
                let stride = shape[(axis + 1)...].checkedProduct
            else { return nil }
            self.stride = stride
        }
    }

    var dequantised: ONNXTensor {
        get throws(WireFormatError) {
            let values = try centred
            let bytes = [UInt8](unsafeUninitializedCapacity: 4 * values.count) { buffer, count in
                let floats = UnsafeMutableRawBufferPointer(buffer)
                for start in Swift.stride(from: 0, to: values.count, by: max(1, stride)) {
                    let scale = scales[start / stride % scales.count]
                    for index in start..<(start + stride) {
                        let value = Float(values[index]) * scale
                        floats.storeBytes(of: value.bitPattern.littleEndian, toByteOffset: 4 * index, as: UInt32.self)
                    }
                }
                count = 4 * values.count
            }
            return ONNXTensor(elementType: .float, shape: shape, data: bytes)
        }
    }

    /// Whether the sum of two products of a weight and a byte always fits into 16 bits: 2 · 255 · 64 < 2¹⁵.
    /// Convolutions that give each channel a filter of its own add no two products before they widen them.
    var fitsSevenBits: Bool {
        get throws(WireFormatError) {
            if shape.count == 4 && shape[1] == 1 { return true }
            return try centred.allSatisfy { $0.magnitude <= 64 }
        }
    }

    /// The values less the zero points.
    private var centred: [Int32] {
        get throws(WireFormatError) {
            var values = try Self.integers(of: values) ?? []
            guard zeroPoints.contains(where: { $0 != 0 }) else { return values }
            for index in values.indices { values[index] &-= zeroPoints[index / stride % scales.count] }
            return values
        }
    }

    /// The sum of each column of a matrix. Nil for other shapes.
    var columnSums: [Double]? {
        get throws(WireFormatError) {
            guard shape.count == 2 else { return nil }
            var sums = [Double](repeating: 0, count: shape[1])
            for (index, value) in try centred.enumerated() {
                sums[index % shape[1]] += Double(value) * Double(scales[index / stride % scales.count])
            }
            return sums
        }
    }

    /// The dimension that counts channels. Nil if scales belong to blocks.
    private static func axis(of attributes: [ProtocolBufferMessage]) throws(WireFormatError) -> Int? {
        var axis = 1
        for attribute in attributes {
            let value = try attribute.integer("i", 3)
            switch try attribute.string("name", 1) {
            case "axis": axis = value
            case _ where value != 0: return nil
            default: break
            }
        }
        return axis
    }

    /// The only value of a tensor with bytes, counted from the least byte of its type.
    static func byte(of tensor: ProtocolBufferMessage) throws(WireFormatError) -> UInt8? {
        guard let values = try integers(of: tensor), values.count == 1 else { return nil }
        switch try tensor.integer("data_type", 2) {
        case 2: return UInt8(exactly: values[0])
        case 3: return UInt8(exactly: values[0] &+ 128)
        default: return nil
        }
    }

    static func floats(of tensor: ProtocolBufferMessage) throws(WireFormatError) -> [Float]? {
        guard try tensor.integer("data_type", 2) == ONNXTensor.ElementType.float.rawValue else { return nil }
        let listed = try tensor.floats("float_data", 4)
        return try raw(of: tensor) { Float(bitPattern: $0) } ?? listed
    }

    /// The values of a tensor with integers of 8, 16 or 32 bits.
    private static func integers(of tensor: ProtocolBufferMessage) throws(WireFormatError) -> [Int32]? {
        let raw: [Int32]?
        switch try tensor.integer("data_type", 2) {
        case 2: raw = try Self.raw(of: tensor) { (value: UInt8) in Int32(value) }
        case 3: raw = try Self.raw(of: tensor) { (value: Int8) in Int32(value) }
        case 4: raw = try Self.raw(of: tensor) { (value: UInt16) in Int32(value) }
        case 5: raw = try Self.raw(of: tensor) { (value: Int16) in Int32(value) }
        case 6: raw = try Self.raw(of: tensor) { $0 }
        default: return nil
        }
        let listed = try tensor.integers("int32_data", 5)
        return raw ?? listed.map { Int32(truncatingIfNeeded: $0) }
    }

    /// The number of values that ``integers(of:)`` finds. Nil if they are in a separate file.
    private static func count(of tensor: ProtocolBufferMessage) throws(WireFormatError) -> Int? {
        let sizes = [2: 1, 3: 1, 4: 2, 5: 2, 6: 4]
        guard let size = sizes[try tensor.integer("data_type", 2)] else { return nil }
        guard let range = try tensor.bytesRange("raw_data", 9) else {
            return try tensor.integers("int32_data", 5).count
        }
        return range.count % size == 0 ? range.count / size : nil
    }

    /// The values in `raw_data`, converted. Nil if they are elsewhere.
    private static func raw<Stored: FixedWidthInteger, Value>(
        of tensor: ProtocolBufferMessage, _ convert: (Stored) -> Value
    ) throws(WireFormatError) -> [Value]? {
        guard let range = try tensor.bytesRange("raw_data", 9) else { return nil }
        let size = MemoryLayout<Stored>.size
        return tensor.bytes.withUnsafeBytes { file in
            [Value](unsafeUninitializedCapacity: range.count / size) { buffer, count in
                count = range.count / size
                for index in 0..<count {
                    let stored = file.loadUnaligned(fromByteOffset: range.lowerBound + index * size, as: Stored.self)
                    buffer.initializeElement(at: index, to: convert(stored))
                }
            }
        }
    }
}
