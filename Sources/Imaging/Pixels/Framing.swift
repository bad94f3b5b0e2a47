/// From a photo's size, orientation and the wanted picture to a resize in stored coordinates.
struct Framing {
    /// The resize, in the stored orientation (turning comes last, on few pixels).
    let plan: ResizePlan
    /// Black columns left of and rows above the resized photo, upright; only `.fit` has any.
    let leftMargin: Int
    let topMargin: Int
    private let request: DecodeRequest
    private let orientation: Orientation

    /// - Parameters:
    ///   - width: columns of the photo as stored.
    ///   - height: rows of the photo as stored.
    init(width: Int, height: Int, orientation: Orientation, request: DecodeRequest) {
        self.request = request
        self.orientation = orientation
        let uprightWidth = Double(orientation.swapsSides ? height : width)
        let uprightHeight = Double(orientation.swapsSides ? width : height)
        let across = Double(request.width) / uprightWidth
        let down = Double(request.height) / uprightHeight
        var resizedWidth = request.width
        var resizedHeight = request.height
        switch request.crop {
        case .fill:
            break
        case .center:
            resizedWidth = max(request.width, Int((uprightWidth * max(across, down)).rounded()))
            resizedHeight = max(request.height, Int((uprightHeight * max(across, down)).rounded()))
        case .fit:
            resizedWidth = min(request.width, max(1, Int((uprightWidth * min(across, down)).rounded())))
            resizedHeight = min(request.height, max(1, Int((uprightHeight * min(across, down)).rounded())))
        }
        let keptWidth = min(resizedWidth, request.width)
        let keptHeight = min(resizedHeight, request.height)
        leftMargin = (request.width - keptWidth) / 2
        topMargin = (request.height - keptHeight) / 2
        let left = (resizedWidth - keptWidth) / 2
        let top = (resizedHeight - keptHeight) / 2

        var columns = left..<left + keptWidth
        var rows = top..<top + keptHeight
        if orientation.swapsSides {
            swap(&columns, &rows)
            swap(&resizedWidth, &resizedHeight)
        }
        if orientation.reversesColumns {
            columns = resizedWidth - columns.upperBound..<resizedWidth - columns.lowerBound
        }
        if orientation.reversesRows { rows = resizedHeight - rows.upperBound..<resizedHeight - rows.lowerBound }
        plan = ResizePlan(width: resizedWidth, height: resizedHeight, columns: columns, rows: rows)
    }

    /// Turns the resized photo upright and puts it into the wanted picture.
    func finish(_ resized: PixelBuffer) -> PixelBuffer {
        let photo = orientation.upright(resized)
        guard photo.width != request.width || photo.height != request.height else { return photo }
        var bytes = [UInt8](repeating: 0, count: request.width * request.height * 3)
        for row in 0..<photo.height {
            let target = ((row + topMargin) * request.width + leftMargin) * 3
            bytes.replaceSubrange(
                target..<target + photo.width * 3,
                with: photo.bytes[row * photo.width * 3..<(row + 1) * photo.width * 3])
        }
        return PixelBuffer(width: request.width, height: request.height, bytes: bytes)
    }
}
