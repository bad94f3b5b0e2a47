import CFFmpeg
import Imaging

extension Orientation {
    /// The orientation of a stream's stored pictures, from its display matrix (ISO/IEC 14496-12 §8.3.2.3). The matrix
    /// maps stored to shown positions: x' = a·x + c·y, y' = b·x + d·y. Other angles count as the nearest right angle.
    init(of stream: UnsafePointer<AVStream>) {
        guard let matrix = menagerie_ff_display_matrix(stream) else {
            self = .up
            return
        }
        let (a, b, c, d) = (matrix[0], matrix[1], matrix[3], matrix[4])
        self.init(a: Int64(a), b: Int64(b), c: Int64(c), d: Int64(d))
    }

    init(a: Int64, b: Int64, c: Int64, d: Int64) {
        if abs(a) + abs(d) >= abs(b) + abs(c) {
            switch (a < 0, d < 0) {
            case (false, false): self = .up
            case (true, false): self = .upMirrored
            case (true, true): self = .down
            case (false, true): self = .downMirrored
            }
        } else {
            // A column of the stored picture becomes a row of the shown one. It runs downwards if b is positive.
            switch (b < 0, c < 0) {
            case (false, false): self = .leftMirrored
            case (false, true): self = .right
            case (true, true): self = .rightMirrored
            case (true, false): self = .left
            }
        }
    }
}
