import CFFmpeg
import Imaging

/// Converts decoded frames of any, even changing, format to upright RGB pictures of one size. Not sendable: it stays on
/// one thread.
final class PictureScaler {
    /// The size of the upright picture, in pixels.
    let width: Int
    let height: Int
    private let orientation: Orientation
    private var context: OpaquePointer?
    /// The format and size for which `context` was made.
    private var source: (format: Int32, width: Int32, height: Int32, space: UInt32, range: UInt32)?

    /// Extra bytes, because FFmpeg's vector code writes whole registers, even beyond the last row.
    private static let slack = 64

    init(width: Int, height: Int, orientation: Orientation) {
        (self.width, self.height, self.orientation) = (width, height, orientation)
    }

    deinit { sws_freeContext(context) }

    func picture(_ frame: UnsafeMutablePointer<AVFrame>) throws(VideoError) -> PixelBuffer {
        let (columns, rows) = orientation.swapsSides ? (height, width) : (width, height)
        try prepare(frame, columns, rows)
        var code: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: columns * rows * 3 + Self.slack) { target, count in
            code = menagerie_ff_to_rgb(context, frame, target.baseAddress, Int32(columns * 3))
            count = code > 0 ? columns * rows * 3 : 0
        }
        guard code > 0 else { throw .corrupt("a picture of it cannot be converted.") }
        return orientation.upright(PixelBuffer(width: columns, height: rows, bytes: bytes))
    }

    private func prepare(_ frame: UnsafeMutablePointer<AVFrame>, _ columns: Int, _ rows: Int) throws(VideoError) {
        let format = frame.pointee.format
        let now = (
            format: format, width: frame.pointee.width, height: frame.pointee.height,
            space: frame.pointee.colorspace.rawValue, range: frame.pointee.color_range.rawValue
        )
        if let source, source == now, context != nil { return }
        sws_freeContext(context)
        context = sws_getContext(
            now.width, now.height, AVPixelFormat(rawValue: format), Int32(columns), Int32(rows), AV_PIX_FMT_RGB24,
            Int32(SWS_BILINEAR), nil, nil, nil)
        guard let context else { throw .corrupt("its pictures are in a format that cannot be converted.") }
        source = now
        // High-definition pictures without a stated colour space are BT.709.
        let isWide = frame.pointee.colorspace == AVCOL_SPC_UNSPECIFIED && now.height >= 720
        let space = isWide ? SWS_CS_ITU709 : Int32(bitPattern: now.space)
        let isFull = frame.pointee.color_range == AVCOL_RANGE_JPEG ? Int32(1) : 0
        guard isFull == 1 || frame.pointee.colorspace != AVCOL_SPC_RGB else { return }
        sws_setColorspaceDetails(
            context, sws_getCoefficients(space), isFull, sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, 1 << 16, 1 << 16)
    }
}
