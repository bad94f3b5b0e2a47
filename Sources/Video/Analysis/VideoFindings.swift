package import Base
package import Encyclopaedia
package import Recognition

/// The result of analysing a video.
package struct VideoFindings: Sendable, Codable, Equatable {
    /// An animal or object, followed through the video.
    package struct Track: Sendable, Codable, Equatable {
        /// The number of the track, from 1.
        package var track: Int
        /// The name that results from all its sightings.
        package var label: String
        /// The times of the first and the last sighting, in milliseconds.
        package var first: Int
        package var last: Int
        package var best: Best
        /// The breeds of a cat or a dog, voted over the track, likeliest first. Empty for other labels.
        package var breeds: [Prediction]
        package var boxes: [Box]
        /// The likeliest words for the object, likeliest first, 0…1 each.
        package var words: [Prediction] = []
        /// The species of an animal other than a cat or a dog. Nil if no head is sure.
        package var species: RegionName.Kind?
        /// Whether the likeliest breed is likely enough to be shown.
        package var isSureOfBreed = true
    }

    /// The best sighting of a track.
    package struct Best: Sendable, Codable, Equatable {
        package var milliseconds: Int
        package var confidence: Double
        package var box: Box

        /// The value of a sighting. A large picture is worth as much as a confident one.
        var worth: Double { confidence * (box.width * box.height).squareRoot() }
    }

    /// A box in fractions of the upright picture.
    package struct Box: Sendable, Codable, Equatable {
        package var milliseconds: Int
        package var x: Double
        package var y: Double
        package var width: Double
        package var height: Double
        package var confidence: Double
    }

    /// A part of the video in which the whole picture shows one thing, and no animal is followed.
    package struct Scene: Sendable, Codable, Equatable {
        package var label: String
        /// The head of the classifier that gave the label.
        package var head: String
        package var first: Int
        package var last: Int
        /// The time of the most confident votes, and their confidence.
        package var best: Int
        package var confidence: Double
    }

    /// The tracks, sorted by number.
    package var tracks: [Track] = []
    package var scenes: [Scene] = []
    /// The number of analysed pictures.
    package var looked = 0
    /// Whether a detector ran.
    package var wasSearched = false
    package var ending = VideoEnding()

    /// The drawing for the annotated file.
    ///
    /// - Parameters:
    ///   - interval: milliseconds between two analysed pictures.
    ///   - text: the text at a track's rectangle.
    package func drawing(interval: Int, text: (Track) -> String) -> VideoDrawing {
        let labels = Set(tracks.map(\.label)).sorted()
        return VideoDrawing(
            hold: interval,
            paths: tracks.map { track in
                VideoDrawing.Path(
                    text: text(track), colour: labels.firstIndex(of: track.label) ?? 0,
                    places: track.boxes)
            })
    }
}

extension VideoFindings.Track {
    /// Findings of earlier versions have no words and no species.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        track = try container.decode(Int.self, forKey: .track)
        label = try container.decode(String.self, forKey: .label)
        first = try container.decode(Int.self, forKey: .first)
        last = try container.decode(Int.self, forKey: .last)
        best = try container.decode(VideoFindings.Best.self, forKey: .best)
        breeds = try container.decode([Prediction].self, forKey: .breeds)
        boxes = try container.decode([VideoFindings.Box].self, forKey: .boxes)
        words = try container.decodeIfPresent([Prediction].self, forKey: .words) ?? []
        species = try container.decodeIfPresent(RegionName.Kind.self, forKey: .species)
        isSureOfBreed = try container.decodeIfPresent(Bool.self, forKey: .isSureOfBreed) ?? true
    }

    /// The breed or species, if one is sure, with the head that gave it.
    package var kind: RegionName.Kind? {
        guard let breed = breeds.first, isSureOfBreed else { return species }
        return RegionName.Kind(head: label + "s", prediction: breed)
    }

    /// The name with its confidence: `Dog: Petit Brabançon 93.1%`, `Snow leopard 97.2%`, `Cat 88.0%`.
    package func title(_ encyclopaedia: Encyclopaedia, in language: Language) -> String {
        let name = encyclopaedia.name(label, from: .box, in: language)
        guard let kind else { return "\(name) \(best.confidence.percent)" }
        let kindName = encyclopaedia.name(kind.prediction.label, from: .head(kind.head), in: language)
        let text = "\(kindName) \(kind.prediction.percent)"
        return species == nil ? "\(name): \(text)" : text
    }

    /// The answer for a scan of the animal, from all its pictures.
    var agreed: AgreedAnswer? {
        AgreedAnswer(label: label, breeds: breeds, isSureOfBreed: isSureOfBreed, species: species)
    }
}

extension VideoFindings {
    /// What was lost.
    /// - Parameter detects: whether boxes were asked for.
    package func warnings(detects: Bool) -> [VideoWarning] {
        var warnings: [VideoWarning] = []
        if ending.isTruncated { warnings.append(.truncated) }
        if ending.damaged > 0 { warnings.append(.damaged(ending.damaged)) }
        if detects, !wasSearched { warnings.append(.notSearched) }
        return warnings
    }
}
