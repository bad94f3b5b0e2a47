import Base
package import Imaging

extension ModelManifest {
    /// The network's input, and how levels 0–255 of a photo are converted to it: `((x/D − S) − mean) / std`.
    package struct Input: Codable, Sendable, Equatable {
        /// The order of the channels. Greyscale is 0.2989 R + 0.587 G + 0.114 B.
        package enum Channels: String, Codable, Sendable, CaseIterable {
            case rgb = "RGB"
            case bgr = "BGR"
            case greyscale = "GREY"

            package var count: Int { self == .greyscale ? 1 : 3 }
        }

        /// The element type of the network's input tensor.
        package enum ElementType: String, Codable, Sendable, CaseIterable {
            case f32, u8, i8
        }

        /// The name of the tensor. Nil means the only input.
        package let name: String?
        /// `NCHW` or `NHWC`.
        package let layout: String
        /// The height and the width in pixels.
        package let size: [Int]
        package let channels: Channels
        package private(set) var type = ElementType.f32
        /// `x`, `x/D` or `x/D-S`, applied to levels 0–255. For example, `x/127.5-1` gives −1…1.
        package private(set) var scale = "x"
        /// Subtracted after the scale, one value for each channel in the network's order. Nil subtracts nothing.
        package private(set) var channelMean: [Float]?
        /// The last divisor, one value for each channel in the network's order. Nil means 1.
        package private(set) var channelDeviation: [Float]?
        /// The default way to fit a photo to the size. Nil means `center`.
        package private(set) var crop: CropPolicy?
        /// The surroundings of the photo with `fit`. Nil means equal black margins on both sides.
        package private(set) var padding: Padding?
        /// With `center`: the short side in pixels before the cut (ImageNet's 256 for 224). Nil means the size.
        package private(set) var shortSide: Int?
        /// The resampling in words. Only an antialiased triangle filter is implemented (see `CropPolicy`).
        package private(set) var resize: String?

        private enum CodingKeys: String, CodingKey {
            case name, layout, size, channels, type, scale, crop, padding, resize
            case channelMean = "mean"
            case channelDeviation = "std"
            case shortSide = "short_side"
        }

        package var height: Int { size[0] }
        package var width: Int { size[1] }

        /// The levels 0–255 that become 0, for each channel: `(x/D − S − m) / d` is (x − D·(S + m)) / (D·d).
        var mean: [Float] {
            let terms = Self.terms(of: scale) ?? (divisor: 1, shift: 0)
            return perChannel(channelMean, default: 0).map { terms.divisor * (terms.shift + $0) }
        }

        /// The divisor of levels after the mean is subtracted, for each channel.
        var deviation: [Float] {
            let divisor = Self.terms(of: scale)?.divisor ?? 1
            return perChannel(channelDeviation, default: 1).map { divisor * $0 }
        }

        /// Whether levels reach the network unchanged.
        var keepsLevels: Bool { mean.allSatisfy { $0 == 0 } && deviation.allSatisfy { $0 == 1 } }

        /// The request to the decoder. If the short side is larger than the size, ``cut(_:)`` takes the centre.
        package func decodeRequest(crop requested: CropPolicy?, region: PictureRegion = .whole) -> DecodeRequest {
            let policy = requested ?? crop ?? .center
            var request = DecodeRequest(
                width: width, height: height, crop: policy, padding: padding ?? Padding(), region: region)
            guard policy == .center, let shortSide, shortSide > min(width, height) else { return request }
            let factor = Double(shortSide) / Double(min(width, height))
            request.width = Int(clamping: (Double(width) * factor).rounded())
            request.height = Int(clamping: (Double(height) * factor).rounded())
            return request
        }

        /// The centre of a decoded picture, in the network's size.
        package func cut(_ picture: PixelBuffer) -> PixelBuffer {
            picture.width == width && picture.height == height ? picture : picture.centre(width: width, height: height)
        }

        /// The centre of a decoded picture, with its place.
        package func cut(_ picture: DecodedPicture) -> DecodedPicture {
            let placement = picture.placement
            return DecodedPicture(
                pixels: cut(picture.pixels),
                placement: PicturePlacement(
                    left: placement.left + max(0, picture.pixels.width - width) / 2,
                    top: placement.top + max(0, picture.pixels.height - height) / 2,
                    wholeWidth: placement.wholeWidth, wholeHeight: placement.wholeHeight))
        }

        private func perChannel(_ values: [Float]?, default value: Float) -> [Float] {
            values ?? [Float](repeating: value, count: channels.count)
        }

        /// D and S of `x/D-S`. Nil if the text has another form.
        static func terms(of scale: String) -> (divisor: Float, shift: Float)? {
            let text = scale.filter { $0 != " " }
            guard text.hasPrefix("x") else { return nil }
            let parts = text.dropFirst().split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            guard let quotient = parts.first else { return nil }
            var divisor: Float = 1
            if !quotient.isEmpty {
                guard quotient.hasPrefix("/"), let number = Float(quotient.dropFirst()), number > 0 else { return nil }
                divisor = number
            }
            guard parts.count == 2 else { return (divisor, 0) }
            guard let shift = Float(parts[1]) else { return nil }
            return (divisor, shift)
        }
    }
}

extension ModelManifest.Input {
    package init(from decoder: any Decoder) throws {
        let inferred = decoder.inferredManifest?.input
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.optional(.name, inferred?.name)
        layout = try container.value(.layout, inferred?.layout)
        size = try container.value(.size, inferred?.size)
        channels = try container.value(.channels, inferred?.channels)
        type = try container.value(.type, inferred?.type ?? .f32)
        // Nothing about levels is inferred if the manifest says anything about them.
        let inferredLevels =
            container.contains(.scale) || container.contains(.channelMean) || container.contains(.channelDeviation)
            ? nil : inferred
        scale = try container.optional(.scale, inferredLevels?.scale) ?? "x"
        channelMean = try container.optional(.channelMean, inferredLevels?.channelMean)
        channelDeviation = try container.optional(.channelDeviation, inferredLevels?.channelDeviation)
        crop = try container.optional(.crop, inferred?.crop)
        padding = try container.optional(.padding, inferred?.padding)
        shortSide = try container.optional(.shortSide, inferred?.shortSide)
        resize = try container.optional(.resize)
    }
}
