/// A constant of an ONNX graph. Field and type numbers: onnx.proto, `TensorProto`.
struct ONNXTensor: Sendable, Equatable {
    enum ElementType: Int, Sendable {
        case float = 1
        case uint8 = 2
        case int64 = 7
        case bool = 9
        case float16 = 10
    }

    let elementType: ElementType
    /// The dimensions. Empty for a scalar.
    let shape: [Int]
    /// The elements, row-major and little-endian.
    let data: [UInt8]
}

extension Sequence<Int> {
    /// The product. Nil if it exceeds the largest integer.
    var checkedProduct: Int? {
        reduce(1) { product, side in
            let (result, isTooLarge) = (product ?? 0).multipliedReportingOverflow(by: side)
            return product == nil || isTooLarge ? nil : result
        }
    }
}

extension ONNXTensor {
    init(_ values: [Float], shape: [Int]) {
        var data: [UInt8] = []
        data.reserveCapacity(4 * values.count)
        for value in values {
            withUnsafeBytes(of: value.bitPattern.littleEndian) { data.append(contentsOf: $0) }
        }
        self.init(elementType: .float, shape: shape, data: data)
    }

    init(scalar value: Float) { self.init([value], shape: []) }

    init(byte: UInt8) { self.init(elementType: .uint8, shape: [], data: [byte]) }

    /// Makes a vector of integers, such as a shape or a list of axes.
    init(_ values: [Int]) {
        var data: [UInt8] = []
        data.reserveCapacity(8 * values.count)
        for value in values {
            withUnsafeBytes(of: Int64(value).littleEndian) { data.append(contentsOf: $0) }
        }
        self.init(elementType: .int64, shape: [values.count], data: data)
    }
}
