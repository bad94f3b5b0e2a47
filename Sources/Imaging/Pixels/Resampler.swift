/// A window of a resized picture. The whole is resized to `width`×`height`, and only the window is computed.
struct ResizePlan: Equatable {
    /// The size of the whole resized picture.
    var width: Int
    var height: Int
    /// The part that is kept.
    var columns: Range<Int>
    var rows: Range<Int>
}

extension ResizePlan {
    /// A plan that keeps the whole picture.
    init(width: Int, height: Int) {
        self.init(width: width, height: height, columns: 0..<width, rows: 0..<height)
    }
}

/// Antialiased triangle resize of RGB8 with the same bits as Pillow's `BILINEAR`: columns first, whole levels in
/// between, weights of 22 fraction bits (src/libImaging/Resample.c, `ImagingResampleHorizontal_8bpc`).
enum Resampler {
    /// The number of levels that the second pass makes at a time.
    private static let lanes = 8

    /// - Parameter pixels: the bytes of `source`.
    static func resize(
        _ pixels: UnsafeBufferPointer<UInt8>, of source: DecodedPixels, to plan: ResizePlan
    ) -> PixelBuffer {
        precondition(pixels.count == source.width * source.height * 3, "RGB8 needs width × height × 3 bytes")
        let across = FilterWeights(
            inputCount: source.width, span: source.spanWidth, outputCount: plan.width, outputs: plan.columns)
        let down = FilterWeights(
            inputCount: source.height, span: source.spanHeight, outputCount: plan.height, outputs: plan.rows)
        let inputBytes = source.width * 3
        let rowBytes = plan.columns.count * 3
        let count = rowBytes * plan.rows.count
        // The passes write a little beyond a row. The next row overwrites that, and after the last row nobody reads it.
        let stride = rowBytes + lanes
        let bytes = [UInt8](unsafeUninitializedCapacity: count + lanes) { target, initialized in
            // The memory is a ring of as many narrowed rows as an output reads, and a copy of the source's last row,
            // because a pixel is read as four bytes.
            withUnsafeTemporaryAllocation(
                byteCount: down.taps * stride + inputBytes + 1, alignment: 16
            ) { memory in
                guard let ring = memory.baseAddress, let first = pixels.baseAddress, let output = target.baseAddress
                else { return }
                let last = ring + down.taps * stride
                last.copyMemory(from: first + (source.height - 1) * inputBytes, byteCount: inputBytes)
                (last + inputBytes).storeBytes(of: 0, as: UInt8.self)
                var next = down.starts[0]
                for row in 0..<plan.rows.count {
                    let start = down.starts[row]
                    next = max(next, start)
                    while next < start + down.taps {
                        let input =
                            next == source.height - 1 ? UnsafeRawPointer(last) : .init(first + next * inputBytes)
                        narrow(input, by: across, into: ring + next % down.taps * stride)
                        next += 1
                    }
                    merge(
                        ring, stride: stride, from: start, by: down, row: row, count: rowBytes,
                        into: output + row * rowBytes)
                }
            }
            initialized = count
        }
        return PixelBuffer(width: plan.columns.count, height: plan.rows.count, bytes: bytes)
    }

    /// The first pass over one row. Loops of a fixed number of taps are unrolled, which halves their time.
    private static func narrow(
        _ row: UnsafeRawPointer, by filter: FilterWeights, into target: UnsafeMutableRawPointer
    ) {
        switch filter.taps {
        case 2: narrow(row, by: filter, taps: 2, into: target)
        case 3: narrow(row, by: filter, taps: 3, into: target)
        case 4: narrow(row, by: filter, taps: 4, into: target)
        case 5: narrow(row, by: filter, taps: 5, into: target)
        default: narrow(row, by: filter, taps: filter.taps, into: target)
        }
    }

    /// - Parameters:
    ///   - row: pixels of 3 bytes, and one more byte.
    ///   - target: room for the outputs and one more byte.
    @inline(__always)
    private static func narrow(
        _ row: UnsafeRawPointer, by filter: FilterWeights, taps: Int, into target: UnsafeMutableRawPointer
    ) {
        filter.starts.withUnsafeBufferPointer { starts in
            filter.weights.withUnsafeBufferPointer { weights in
                for output in 0..<starts.count {
                    let pixels = row + starts[output] * 3
                    var sum = SIMD4<Int32>(repeating: FilterWeights.half)
                    for tap in 0..<taps {
                        let pixel = unsafeBitCast(
                            (pixels + tap * 3).loadUnaligned(as: UInt32.self), to: SIMD4<UInt8>.self)
                        sum &+=
                            SIMD4<Int32>(truncatingIfNeeded: pixel)
                            &* SIMD4(repeating: weights[output * taps + tap])
                    }
                    let level = SIMD4<UInt8>(truncatingIfNeeded: sum &>> FilterWeights.precision)
                    (target + output * 3).storeBytes(of: unsafeBitCast(level, to: UInt32.self), as: UInt32.self)
                }
            }
        }
    }

    /// The second pass, which makes one output row from the ring.
    private static func merge(
        _ ring: UnsafeMutableRawPointer, stride: Int, from start: Int, by filter: FilterWeights, row: Int, count: Int,
        into target: UnsafeMutablePointer<UInt8>
    ) {
        filter.weights.withUnsafeBufferPointer { weights in
            for index in Swift.stride(from: 0, to: count, by: lanes) {
                var sum = SIMD8<Int32>(repeating: FilterWeights.half)
                var slot = start % filter.taps
                for tap in 0..<filter.taps {
                    let levels = unsafeBitCast(
                        (ring + slot * stride + index).loadUnaligned(as: UInt64.self), to: SIMD8<UInt8>.self)
                    sum &+=
                        SIMD8<Int32>(truncatingIfNeeded: levels)
                        &* SIMD8(repeating: weights[row * filter.taps + tap])
                    slot = slot + 1 == filter.taps ? 0 : slot + 1
                }
                let levels = SIMD8<UInt8>(truncatingIfNeeded: sum &>> FilterWeights.precision)
                UnsafeMutableRawPointer(target + index).storeBytes(
                    of: unsafeBitCast(levels, to: UInt64.self), as: UInt64.self)
            }
        }
    }
}
