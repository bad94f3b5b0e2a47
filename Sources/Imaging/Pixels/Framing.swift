import Base

/// Computes a resize in stored coordinates from a photo's size, its orientation and the requested picture.
struct Framing {
    /// The resize in stored orientation. Turning comes last, on few pixels.
    let plan: ResizePlan
    /// The place of the requested picture in the photo.
    let placement: PicturePlacement
    /// The columns left of the resized upright photo, and the rows above it. Only `.fit` has any.
    let leftMargin: Int
    let topMargin: Int
    private let request: DecodeRequest
    private let orientation: Orientation

    /// - Parameters:
    ///   - width: the columns of the photo as stored.
    ///   - height: the rows of the photo as stored.
    init(width: Int, height: Int, orientation: Orientation, request: DecodeRequest) {
        self.request = request
        self.orientation = orientation
        let across = Side(pixels: orientation.swapsSides ? height : width, request.region.x, request.region.width)
        let down = Side(pixels: orientation.swapsSides ? width : height, request.region.y, request.region.height)
        let (wide, high) = (Double(request.width) / across.span, Double(request.height) / down.span)
        var resizedWidth = request.width
        var resizedHeight = request.height
        switch request.crop {
        case .fill:
            break
        case .center:
            resizedWidth = max(request.width, Int(clamping: (across.span * max(wide, high)).rounded()))
            resizedHeight = max(request.height, Int(clamping: (down.span * max(wide, high)).rounded()))
        case .fit:
            resizedWidth = min(request.width, max(1, Int(clamping: (across.span * min(wide, high)).rounded())))
            resizedHeight = min(request.height, max(1, Int(clamping: (down.span * min(wide, high)).rounded())))
        }
        var (columns, wholeWidth) = across.window(resized: resizedWidth, wanted: request.width)
        var (rows, wholeHeight) = down.window(resized: resizedHeight, wanted: request.height)
        let isCentred = request.padding.anchor == .center
        leftMargin = isCentred ? (request.width - columns.count) / 2 : 0
        topMargin = isCentred ? (request.height - rows.count) / 2 : 0
        placement = PicturePlacement(
            left: columns.lowerBound - leftMargin, top: rows.lowerBound - topMargin, wholeWidth: wholeWidth,
            wholeHeight: wholeHeight)

        if orientation.swapsSides {
            swap(&columns, &rows)
            swap(&wholeWidth, &wholeHeight)
        }
        if orientation.reversesColumns {
            columns = wholeWidth - columns.upperBound..<wholeWidth - columns.lowerBound
        }
        if orientation.reversesRows { rows = wholeHeight - rows.upperBound..<wholeHeight - rows.lowerBound }
        plan = ResizePlan(width: wholeWidth, height: wholeHeight, columns: columns, rows: rows)
    }

    /// Turns the resized photo upright and puts it into the requested picture.
    func finish(_ resized: PixelBuffer) -> PixelBuffer {
        let photo = orientation.upright(resized)
        guard photo.width != request.width || photo.height != request.height else { return photo }
        var bytes = [UInt8](repeating: request.padding.level, count: request.width * request.height * 3)
        for row in 0..<photo.height {
            let target = ((row + topMargin) * request.width + leftMargin) * 3
            bytes.replaceSubrange(
                target..<target + photo.width * 3,
                with: photo.bytes[row * photo.width * 3..<(row + 1) * photo.width * 3])
        }
        return PixelBuffer(width: request.width, height: request.height, bytes: bytes)
    }

    /// One axis of the upright photo, and the requested part of it.
    private struct Side {
        let pixels: Double
        let start: Double
        /// The length of the part in pixels of the photo, at least 1 and within the photo.
        let span: Double

        init(pixels: Int, _ start: Double, _ share: Double) {
            self.pixels = Double(pixels)
            self.start = min(max(start, 0), 1)
            span = min(max(share * Double(pixels), 1), Double(pixels))
        }

        /// - Parameters:
        ///   - resized: the pixels of the requested part after the resize.
        ///   - wanted: the pixels of the result.
        /// - Returns: the window that is kept, and the pixels of the whole photo at that scale.
        func window(resized: Int, wanted: Int) -> (Range<Int>, whole: Int) {
            let whole =
                span == pixels ? resized : max(resized, Int(clamping: (pixels * Double(resized) / span).rounded()))
            let kept = min(resized, wanted)
            let first = Int(clamping: (start * Double(whole)).rounded()) + (resized - kept) / 2
            let left = min(max(first, 0), whole - kept)
            return (left..<left + kept, whole)
        }
    }
}

/// The place of a decoded picture in the upright photo.
package struct PicturePlacement: Sendable, Equatable {
    /// Column 0 and row 0 of the picture, in pixels of the photo at the picture's scale; negative in padding.
    package let left: Int
    package let top: Int
    /// The photo's size at that scale.
    package let wholeWidth: Int
    package let wholeHeight: Int

    package init(left: Int, top: Int, wholeWidth: Int, wholeHeight: Int) {
        self.left = left
        self.top = top
        self.wholeWidth = wholeWidth
        self.wholeHeight = wholeHeight
    }

    /// A column of the picture as a fraction of the photo's width; outside 0…1 in the padding.
    package func x(_ column: Double) -> Double { (column + Double(left)) / Double(wholeWidth) }

    /// A row of the picture as a fraction of the photo's height; outside 0…1 in the padding.
    package func y(_ row: Double) -> Double { (row + Double(top)) / Double(wholeHeight) }
}
