import CFFmpeg
import Imaging

/// Scales a camera's pictures. Their size may change while the camera runs.
final class CameraScaler {
    private let orientation: Orientation
    private let side: Int?
    private var scaler: PictureScaler?
    private var size: (width: Int32, height: Int32, aspect: Double) = (0, 0, 0)

    init(orientation: Orientation, side: Int?) {
        self.orientation = orientation
        self.side = side
    }

    func picture(_ frame: UnsafeMutablePointer<AVFrame>) throws(VideoError) -> PixelBuffer {
        let ratio = frame.pointee.sample_aspect_ratio
        let now = (frame.pointee.width, frame.pointee.height, ratio.den > 0 ? av_q2d(ratio) : 0)
        if let scaler, size == now { return try scaler.picture(frame) }
        let shown = PictureSize(width: Int(now.0), height: Int(now.1), aspect: now.2, orientation: orientation)
        let fitted = shown.fitted(within: side)
        let scaler = PictureScaler(width: fitted.width, height: fitted.height, orientation: orientation)
        (self.scaler, size) = (scaler, now)
        return try scaler.picture(frame)
    }
}
