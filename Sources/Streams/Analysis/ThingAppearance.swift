import Base
package import Imaging
import Recognition

/// The appearance of an object that the user pointed at: colours in a small picture, and the classifier's feature
/// vectors. So an object without a name can be recognised again.
package struct ThingAppearance: Sendable {
    /// The longer side of the small pictures, in pixels.
    static let side = 160
    /// The margin of a crop, as a share of its longer side: for a detected box, and for an area found by its colour.
    /// The object may have parts of other colours, so the second is wider.
    private static let margin = (boxed: 0.1, coloured: 0.3)
    /// Half the side of the square around a point without a detected extent, as a share of the picture's shorter side.
    private static let reach = 0.12
    /// The largest distance between the point and a box's centre, as a share of the box's sides.
    private static let middle = 0.35
    /// The largest number of colour patterns.
    private static let maximumPatches = 3

    /// The place where the user pointed.
    package let box: PictureRegion
    /// The label of the object's laps: its name, or ``nameless``.
    package internal(set) var label = ThingAppearance.nameless
    /// The margin of a crop around the object.
    let margin: Double
    private(set) var patches: [ColourPatch]
    /// Unit vectors. Empty if the classifier has no feature output.
    private(set) var features: [[Float]] = []

    /// The label of an object without a name.
    package static let nameless = "this_one"

    /// - Parameters:
    ///   - tap: the point or region that the user marked.
    ///   - picture: the whole frame, with a longer side of ``side`` pixels.
    ///   - boxes: the detected boxes.
    /// - Returns: nil if the place does not differ from its surroundings, such as part of a plain wall.
    init?(at tap: Tap, in picture: PixelBuffer, boxes: [PictureRegion]) {
        let drawn = PictureRegion(x: tap.x, y: tap.y, width: tap.width, height: tap.height)
        // People point at the middle of an object. A box with the point near its edge belongs to something behind it.
        let around = boxes.filter { box in
            abs(tap.x - box.centreX) <= Self.middle * box.width && abs(tap.y - box.centreY) <= Self.middle * box.height
                && box.area < 0.7
        }.min { $0.area < $1.area }
        if let box = tap.isPoint ? around : drawn, let patch = Self.patch(box, in: picture) {
            (self.box, margin, patches) = (box, Self.margin.boxed, [patch])
            return
        }
        guard tap.isPoint else { return nil }
        margin = Self.margin.coloured
        let (column, row) = (
            Int(clamping: tap.x * Double(picture.width)), Int(clamping: tap.y * Double(picture.height))
        )
        if let isPart = picture.alike(column: column, row: row), let found = Self.patch(isPart, in: picture) {
            (box, patches) = (found.box, [found.patch])
            return
        }
        let (across, down) = (
            Self.reach * min(1, Double(picture.height) / Double(picture.width)),
            Self.reach * min(1, Double(picture.width) / Double(picture.height))
        )
        let square = PictureRegion(left: tap.x - across, top: tap.y - down, right: tap.x + across, bottom: tap.y + down)
        guard let patch = Self.patch(square, in: picture) else { return nil }
        (box, patches) = (square, [patch])
    }

    /// A copy with another label for laps. Nil keeps the label.
    package func called(_ label: String?) -> ThingAppearance {
        var renamed = self
        renamed.label = label ?? self.label
        return renamed
    }

    // MARK: Features

    /// Learns another feature vector.
    mutating func learn(_ features: [Float]?) {
        if let row = features.flatMap(Self.unit) { self.features.append(row) }
    }

    /// The largest cosine similarity to the learnt feature vectors, −1…1. Nil if either side has none.
    func similarity(to features: [Float]?) -> Double? {
        guard let row = features.flatMap(Self.unit) else { return nil }
        return self.features.lazy.filter { $0.count == row.count }.map { known in
            Double(zip(known, row).reduce(0) { $0 + $1.0 * $1.1 })
        }.max()
    }

    private static func unit(_ row: [Float]) -> [Float]? {
        let length = row.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return length > 0 && length.isFinite ? row.map { $0 / length } : nil
    }

    // MARK: Colours

    /// Learns the colours at another place, where the object may show another side.
    mutating func learn(_ box: PictureRegion, in picture: PixelBuffer) {
        guard let patch = Self.patch(box, in: picture) else { return }
        if patches.count >= Self.maximumPatches { patches.remove(at: 1) }
        patches.append(patch)
    }

    /// The colour pattern of a box. Its centre weighs more than its corners, which show the background.
    private static func patch(_ box: PictureRegion, in picture: PixelBuffer) -> ColourPatch? {
        let place = PixelPlace(box, in: picture)
        var weights: [Float] = []
        for row in 0..<place.height {
            for column in 0..<place.width {
                let across = (Float(column) + 0.5) / Float(place.width) * 2 - 1
                let down = (Float(row) + 0.5) / Float(place.height) * 2 - 1
                weights.append(max(0.05, 1 - (across * across + down * down) * 0.7))
            }
        }
        return ColourPatch(
            picture, left: place.left, top: place.top, width: place.width, height: place.height, weights: weights)
    }

    private static func patch(_ isPart: [Bool], in picture: PixelBuffer) -> (patch: ColourPatch, box: PictureRegion)? {
        let parts = isPart.indices.filter { isPart[$0] }
        let (columns, rows) = (parts.map { $0 % picture.width }, parts.map { $0 / picture.width })
        guard let left = columns.min(), let right = columns.max(), let top = rows.min(), let bottom = rows.max() else {
            return nil
        }
        // The surroundings mark the object's edges. They weigh more for a small area, such as a black patch of a ball.
        let isSmall = max(right - left, bottom - top) < min(picture.width, picture.height) / 8
        let rim = isSmall ? max(2, (max(right - left, bottom - top) + 1) / 2) : 1
        let (from, until) = (
            (x: max(0, left - rim), y: max(0, top - rim)),
            (x: min(picture.width, right + rim + 1), y: min(picture.height, bottom + rim + 1))
        )
        let (width, height) = (until.x - from.x, until.y - from.y)
        let weights = (0..<height * width).map { index -> Float in
            isPart[(from.y + index / width) * picture.width + from.x + index % width] ? 1 : isSmall ? 0.4 : 0.15
        }
        guard
            let patch = ColourPatch(picture, left: from.x, top: from.y, width: width, height: height, weights: weights)
        else { return nil }
        let (across, down) = (Double(picture.width), Double(picture.height))
        return (
            patch,
            PictureRegion(
                x: Double(from.x) / across, y: Double(from.y) / down, width: Double(width) / across,
                height: Double(height) / down)
        )
    }
}

/// A box in whole pixels, clipped to the picture.
struct PixelPlace: Sendable {
    let left: Int
    let top: Int
    let width: Int
    let height: Int

    init(_ box: PictureRegion, in picture: PixelBuffer) {
        func range(_ start: Double, _ length: Double, _ side: Int) -> (Int, Int) {
            let from = min(max(Int(clamping: (start * Double(side)).rounded()), 0), side - 1)
            let until = min(max(Int(clamping: ((start + length) * Double(side)).rounded()), from + 1), side)
            return (from, until - from)
        }
        (left, width) = range(box.x, box.width, picture.width)
        (top, height) = range(box.y, box.height, picture.height)
    }
}

extension FrameAnalyser {
    /// The size of the small pictures.
    static func smallPicture(of image: ImageInfo) -> DecodeRequest {
        let share = Double(ThingAppearance.side) / Double(max(image.width, image.height, 1))
        return DecodeRequest(
            width: max(1, Int(clamping: (Double(image.width) * share).rounded())),
            height: max(1, Int(clamping: (Double(image.height) * share).rounded())), crop: .fill)
    }
}
