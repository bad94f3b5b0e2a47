package import Base
package import Imaging

/// The settings of a lap timer.
package struct LapConfiguration: Sendable, Equatable, Codable {
    /// A point in fractions of the upright picture.
    package struct Point: Sendable, Equatable, Codable {
        package var x: Double
        package var y: Double

        package init(x: Double, y: Double) {
            self.x = x
            self.y = y
        }
    }

    /// The finishing line, from one end to the other.
    package struct Line: Sendable, Equatable, Codable {
        package var from: Point
        package var to: Point

        package init(from: Point, to: Point) {
            self.from = from
            self.to = to
        }
    }

    /// The label of the timed object. Nil takes the candidate in sight when the timer starts.
    package var label: String?
    /// Nil lets the timer choose how to count; see ``LapCounting``.
    package var line: Line?
    /// The shortest lap, in milliseconds. An earlier passing is ignored.
    package var minimumMilliseconds: Double
    /// The least confidence of a sighting, as a share of the candidate's, 0…1.
    package var threshold: Double

    package init(
        label: String? = nil, line: Line? = nil, minimumMilliseconds: Double = 3_000, threshold: Double = 0.1
    ) {
        self.label = label
        self.line = line
        self.minimumMilliseconds = minimumMilliseconds
        self.threshold = threshold
    }
}

/// The state of a lap timer.
package enum LapState: String, Sendable, Codable, CaseIterable {
    /// The object in sight is the candidate, and no clock runs.
    case warmUp = "warm_up"
    /// The timer was started. The first passing starts the clock.
    case start
    /// A clock runs.
    case lapping
    /// A lap has closed in this frame, and the next one has begun.
    case end
}

/// The event that closes a lap. Without a given line, the timer chooses when the object has come into sight and left
/// once.
package enum LapCounting: String, Sendable, Codable, CaseIterable {
    /// The object crosses the given line, or without one the middle of the picture, at right angles to its path.
    case line
    /// The object comes into sight anywhere. This applies if it left without crossing the middle, or if no boxes are
    /// looked for.
    case sight
}

/// An object that could be timed.
package struct LapCandidate: Sendable, Equatable, Codable {
    package let label: String
    /// The confidence in the label, 0…1.
    package let confidence: Double

    package init(label: String, confidence: Double) {
        self.label = label
        self.confidence = confidence
    }
}

/// A completed lap.
package struct Lap: Sendable, Equatable, Codable {
    /// Counts the laps of a session from 1. The number of an undone lap is not used again.
    package let number: Int
    package let label: String
    /// Distinguishes objects with the same label. It stays with the object from lap to lap, even if its track changes.
    package let runner: Int
    /// The track of the object when the lap closed. Nil if only the classifier saw it.
    package let track: Int?
    /// The start of the lap, in milliseconds of the stream.
    package internal(set) var startedMilliseconds: Double
    /// The duration of the lap.
    package internal(set) var lapMilliseconds: Double
    /// The confidence in the object when the lap closed, 0…1.
    package let confidence: Double

    package var endedMilliseconds: Double { startedMilliseconds + lapMilliseconds }
}

/// A timed object in one frame.
package struct LapSighting: Sendable, Equatable {
    package let track: Int
    package let label: String
    package let region: PictureRegion
    /// The confidence in the label, 0…1.
    package let confidence: Double
    /// Other labels for the object, such as its species or breed, each with its confidence.
    package let others: [LapCandidate]

    package init(
        track: Int, label: String, region: PictureRegion, confidence: Double, others: [LapCandidate] = []
    ) {
        self.track = track
        self.label = label
        self.region = region
        self.confidence = confidence
        self.others = others
    }

    /// The confidence in a label. Nil if the object does not have that label.
    package func confidence(of label: String) -> Double? {
        label == self.label ? confidence : others.first { $0.label == label }?.confidence
    }
}

/// A change that a frame caused.
package enum LapEvent: Sendable, Equatable {
    case state(LapState)
    /// The clock of an object has started, at a time in milliseconds of the stream.
    case started(runner: Int, label: String, atMilliseconds: Double)
    case lap(Lap)
}

/// The reason why a lap timer refuses a command.
package enum LapError: Error, Equatable, Sendable {
    /// Nothing is in sight and no label was given, so there is nothing to time.
    case noCandidate
    /// The timer is running already.
    case alreadyStarted
    case unknownLap(Int)
    case noPicture(lap: Int)
    case unknownTimer(ULID)
    /// Another stream feeds the timer.
    case isFed(ULID)
    /// There is no room for another timer.
    case tooMany
}
