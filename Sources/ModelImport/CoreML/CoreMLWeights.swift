/// The weights of a layer (`WeightParams` of `NeuralNetwork.proto`), which stay in the file until they are decoded.
struct CoreMLWeights {
    enum Storage {
        case none
        /// Ranges of little-endian floats, in order.
        case float32([Range<Int>])
        case float16(Range<Int>)
        /// Unsigned numbers of 1…8 bits, the most significant bit first and without gaps.
        case quantised(Range<Int>, bits: Int, Quantisation)
        /// `scale * value` for signed bytes.
        case signedBytes(Range<Int>, scale: Float)
    }

    enum Quantisation {
        /// `value * scale + bias`, with one scale and bias for all or one for each output channel.
        case linear(scales: [Float], biases: [Float])
        /// One float for each of the 2^bits values.
        case table([Float])
    }

    let storage: Storage
    private let bytes: [UInt8]
    private let offset: Int

    init(_ message: ProtocolBufferMessage) throws(WireFormatError) {
        bytes = message.bytes
        offset = message.range.lowerBound
        if let range = try message.bytesRange("float16Value", 2) {
            storage = .float16(range)
        } else if let range = try message.bytesRange("rawValue", 30) {
            guard let quantisation = try message.message("quantization", 40) else {
                throw WireFormatError(offset: offset, reason: "the weights are quantised but do not say how")
            }
            let bits = try quantisation.size("numberOfBits", 1)
            guard (1...8).contains(bits) else {
                throw WireFormatError(offset: offset, reason: "weights of \(bits) bits are outside 1…8")
            }
            storage = .quantised(range, bits: bits, try Self.quantisation(quantisation, bits: bits))
        } else if let range = try message.bytesRange("int8RawValue", 31) {
            let linear = try message.message("quantization", 40)?.message("linearQuantization", 101)
            guard let scale = try linear?.floats("scale", 1).first else {
                throw WireFormatError(offset: offset, reason: "the weights are signed bytes without a scale")
            }
            storage = .signedBytes(range, scale: scale)
        } else {
            let ranges = try Self.floatRanges(message)
            storage = ranges.isEmpty ? .none : .float32(ranges)
        }
    }

    private static func quantisation(
        _ message: ProtocolBufferMessage, bits: Int
    ) throws(WireFormatError) -> Quantisation {
        if let table = try message.message("lookupTableQuantization", 102) {
            let values = try table.floats("floatValue", 1)
            guard values.count >= 1 << bits else {
                throw WireFormatError(
                    offset: table.range.lowerBound,
                    reason: "a lookup table of \(values.count) values is too short for \(bits) bits")
            }
            return .table(values)
        }
        guard let linear = try message.message("linearQuantization", 101) else {
            throw WireFormatError(
                offset: message.range.lowerBound, reason: "the quantisation is neither linear nor a lookup table")
        }
        let scales = try linear.floats("scale", 1)
        var biases = try linear.floats("bias", 2)
        if biases.isEmpty { biases = Array(repeating: 0, count: scales.count) }
        guard !scales.isEmpty, scales.count == biases.count else {
            throw WireFormatError(
                offset: linear.range.lowerBound,
                reason: "\(scales.count) scales and \(biases.count) biases; there must be as many of each")
        }
        return .linear(scales: scales, biases: biases)
    }

    private static func floatRanges(_ message: ProtocolBufferMessage) throws(WireFormatError) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        for field in message.occurrences(of: 1) {
            switch field.value {
            case .delimited(let range) where range.count % 4 == 0:
                if !range.isEmpty { ranges.append(range) }
            case .fixed32: ranges.append(field.extent.suffix(4))
            default:
                throw message.mismatch("floatValue", field, "a list of floats")
            }
        }
        return ranges
    }

    /// The number of weights. For fewer than 8 bits, the number that fits into the bytes.
    var count: Int {
        switch storage {
        case .none: 0
        case .float32(let ranges): ranges.reduce(0) { $0 + $1.count } / 4
        case .float16(let range): range.count / 2
        case .quantised(let range, let bits, _): range.count * 8 / bits
        case .signedBytes(let range, _): range.count
        }
    }

    /// The undecoded bytes of a float32 or float16 storage.
    var rawBytes: [UInt8] {
        switch storage {
        case .float32(let ranges):
            var result: [UInt8] = []
            result.reserveCapacity(4 * count)
            for range in ranges { result.append(contentsOf: bytes[range]) }
            return result
        case .float16(let range):
            return Array(bytes[range])
        default:
            return []
        }
    }

    /// Decodes all numbers.
    ///
    /// - Parameters:
    ///   - shape: the shape of the weights, row-major.
    ///   - channelAxis: the axis of `shape` that counts output channels, each of which may have its own scale.
    func floats(shape: [Int], channelAxis: Int) throws(WireFormatError) -> [Float] {
        let expected = try checkedCount(shape)
        switch storage {
        case .none:
            return []
        case .float32:
            return Self.decodeFloat32(rawBytes)
        case .float16(let range):
            return Self.decodeFloat16(bytes[range])
        case .signedBytes(let range, let scale):
            return bytes[range].map { Float(Int8(bitPattern: $0)) * scale }
        case .quantised(let range, let bits, let quantisation):
            let values = Self.unpack(bytes[range], bits: bits, count: expected)
            return try dequantise(values, quantisation, shape: shape, channelAxis: channelAxis)
        }
    }

    /// The product of the shape. Throws if the number of weights differs.
    func checkedCount(_ shape: [Int]) throws(WireFormatError) -> Int {
        guard shape.allSatisfy({ $0 >= 0 }), let expected = shape.checkedProduct else {
            throw WireFormatError(offset: offset, reason: "the weights' shape \(shape) is out of bounds")
        }
        var isRight = count == expected
        if case .quantised(let range, let bits, _) = storage {
            // Some writers pad to whole bytes. Longer data belongs to another shape.
            isRight = range.count == expected / 8 * bits + (expected % 8 * bits + 7) / 8
        }
        guard isRight else {
            throw WireFormatError(offset: offset, reason: "\(count) weights where the shape \(shape) needs \(expected)")
        }
        return expected
    }

    private func dequantise(
        _ values: [UInt8], _ quantisation: Quantisation, shape: [Int], channelAxis: Int
    ) throws(WireFormatError) -> [Float] {
        switch quantisation {
        case .table(let table):
            return values.map { table[Int($0)] }
        case .linear(let scales, let biases) where scales.count == 1:
            return values.map { Float($0) * scales[0] + biases[0] }
        case .linear(let scales, let biases):
            guard shape.indices.contains(channelAxis), shape[channelAxis] == scales.count else {
                throw WireFormatError(
                    offset: offset, reason: "\(scales.count) scales for weights of the shape \(shape)")
            }
            let stride = shape[(channelAxis + 1)...].reduce(1, *)
            return values.indices.map { index in
                let channel = index / stride % scales.count
                return Float(values[index]) * scales[channel] + biases[channel]
            }
        }
    }
}

extension CoreMLWeights {
    static func decodeFloat32(_ bytes: [UInt8]) -> [Float] {
        let data = bytes.span.bytes
        return (0..<data.byteCount / 4).map { index in
            let bits = data.unsafeLoadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)
            return Float(bitPattern: UInt32(littleEndian: bits))
        }
    }

    static func decodeFloat16(_ bytes: ArraySlice<UInt8>) -> [Float] {
        let data = bytes.span.bytes
        return (0..<data.byteCount / 2).map { index in
            let bits = data.unsafeLoadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)
            return Float(Float16(bitPattern: UInt16(littleEndian: bits)))
        }
    }

    /// Unpacks numbers of `bits` bits each, most significant bit first.
    static func unpack(_ bytes: ArraySlice<UInt8>, bits: Int, count: Int) -> [UInt8] {
        if bits == 8 { return Array(bytes.prefix(count)) }
        var result: [UInt8] = []
        result.reserveCapacity(count)
        var window: UInt32 = 0
        var available = 0
        for byte in bytes {
            window = window << 8 | UInt32(byte)
            available += 8
            while available >= bits, result.count < count {
                available -= bits
                result.append(UInt8(truncatingIfNeeded: window >> UInt32(available)) & (1 << UInt8(bits) &- 1))
            }
        }
        return result
    }
}
