/// The differences of a small picture from earlier ones of a fixed camera, whose background stands still.
package struct SceneChange: Sendable {
    /// The time constant in milliseconds with which the background adopts changes.
    private static let memory = 3_000.0
    /// The smallest difference, over the three channels together, that counts as a change.
    private static let difference: Float = 36

    private var mean: [Float] = []
    private var width = 0
    private var height = 0
    private var lastMilliseconds = 0.0
    /// The changed pixels above and left of each pixel, with one column and one row more than the picture.
    private var sums: [Int32] = []

    package init() {}

    /// Compares the next picture and adds it to the background.
    ///
    /// - Parameter now: the time of the picture, in milliseconds.
    package mutating func take(_ picture: PixelBuffer, atMilliseconds now: Double) {
        if picture.width != width || picture.height != height {
            (width, height) = (picture.width, picture.height)
            mean = picture.bytes.map(Float.init)
        }
        let share = Float(min(1, max(0, now - lastMilliseconds) / Self.memory))
        lastMilliseconds = now
        var sums = [Int32](repeating: 0, count: (width + 1) * (height + 1))
        picture.bytes.withUnsafeBufferPointer { bytes in
            mean.withUnsafeMutableBufferPointer { mean in
                for row in 0..<height {
                    var inRow: Int32 = 0
                    for column in 0..<width {
                        let index = (row * width + column) * 3
                        var way: Float = 0
                        for channel in index..<index + 3 {
                            let step = Float(bytes[channel]) - mean[channel]
                            way += abs(step)
                            mean[channel] += share * step
                        }
                        if way > Self.difference { inRow += 1 }
                        sums[(row + 1) * (width + 1) + column + 1] = sums[row * (width + 1) + column + 1] + inRow
                    }
                }
            }
        }
        self.sums = sums
    }

    /// The share of a rectangle that has changed, 0…1.
    package func share(left: Int, top: Int, width across: Int, height down: Int) -> Double {
        let (left, top) = (min(max(left, 0), width), min(max(top, 0), height))
        let (right, bottom) = (min(max(left + across, left), width), min(max(top + down, top), height))
        guard right > left, bottom > top else { return 0 }
        let row = width + 1
        let changed =
            sums[bottom * row + right] - sums[top * row + right] - sums[bottom * row + left] + sums[top * row + left]
        return Double(changed) / Double((right - left) * (bottom - top))
    }
}
