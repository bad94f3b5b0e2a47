import Base
import Imaging

/// The size of upright pictures with square pixels.
struct PictureSize: Equatable {
    let width: Int
    let height: Int

    /// - Parameters:
    ///   - aspect: the width of a stored pixel divided by its height. 0 if unknown.
    init(width: Int, height: Int, aspect: Double, orientation: Orientation) {
        var (wide, high) = (Double(width), Double(height))
        // No camera has other ratios.
        if aspect.isFinite, aspect > 0.1, aspect < 10 {
            if aspect >= 1 { wide *= aspect } else { high /= aspect }
        }
        let sides = (Int(clamping: wide.rounded()), Int(clamping: high.rounded()))
        (self.width, self.height) = orientation.swapsSides ? (sides.1, sides.0) : sides
    }

    /// The same shape scaled down to fit into a square of `side` pixels. Both sides are at least 2.
    func fitted(within side: Int?) -> (width: Int, height: Int) {
        let scale = min(1, Double(side ?? .max) / Double(max(width, height)))
        return (
            max(2, Int(clamping: (Double(width) * scale).rounded())),
            max(2, Int(clamping: (Double(height) * scale).rounded()))
        )
    }
}
