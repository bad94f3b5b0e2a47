package import Scans

/// What was found in a video.
package struct VideoFindings: Sendable, Codable, Equatable {
    /// An animal or object, followed through the video.
    package struct Track: Sendable, Codable, Equatable {
        /// Stays with it; counts from 1.
        package var track: Int
        /// What the detector says, voted over the track.
        package var label: String
        /// Milliseconds of its first and last sight.
        package var first: Int
        package var last: Int
        package var best: Best
        /// The breeds of a cat or a dog, voted over the track, likeliest first; empty for all else.
        package var breeds: [Prediction]
        package var boxes: [Box]
    }

    /// The sight of a track that shows it best.
    package struct Best: Sendable, Codable, Equatable {
        package var milliseconds: Int
        package var confidence: Double
        package var box: Box

        /// A large picture of it is worth as much as a sure one.
        var worth: Double { confidence * (box.width * box.height).squareRoot() }
    }

    /// In fractions of the upright picture.
    package struct Box: Sendable, Codable, Equatable {
        package var milliseconds: Int
        package var x: Double
        package var y: Double
        package var width: Double
        package var height: Double
        package var confidence: Double
    }

    /// A stretch of the video in which the picture as a whole shows one thing.
    package struct Scene: Sendable, Codable, Equatable {
        package var label: String
        /// The head of the classifier that says so.
        package var head: String
        package var first: Int
        package var last: Int
        /// When the votes were surest, and how sure.
        package var best: Int
        package var confidence: Double
    }

    /// By their numbers.
    package var tracks: [Track] = []
    package var scenes: [Scene] = []
    /// Pictures that were looked at.
    package var looked = 0
    /// Whether a detector looked for boxes.
    package var wasSearched = false
    package var ending = VideoEnding()

    /// What is drawn into the annotated file.
    ///
    /// - Parameters:
    ///   - interval: milliseconds between two pictures that were looked at.
    ///   - text: what stands at a track's rectangle.
    package func drawing(interval: Int, text: (Track) -> String) -> VideoDrawing {
        let labels = Set(tracks.map(\.label)).sorted()
        return VideoDrawing(
            hold: interval,
            paths: tracks.map { track in
                VideoDrawing.Path(
                    text: text(track), colour: labels.firstIndex(of: track.label) ?? 0,
                    places: track.boxes.map {
                        VideoDrawing.Place(
                            milliseconds: $0.milliseconds, x: $0.x, y: $0.y, width: $0.width, height: $0.height)
                    })
            })
    }
}
