/// What a lap timer times, and how.
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

    /// What is timed; nil: the candidate that is in sight when the timer is started.
    package var label: String?
    /// Nil: the timer chooses (``LapCounting``).
    package var line: Line?
    /// Shortest lap, in milliseconds: whoever passes sooner has not made one.
    package var minimumMilliseconds: Double
    /// What counts as seen, as a share of the candidate's confidence, 0…1.
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

/// Where a lap timer is.
package enum LapState: String, Sendable, Codable, CaseIterable {
    /// What is in sight is the candidate; nothing is timed.
    case warmUp = "warm_up"
    /// Started: the first passing starts the clock.
    case start
    /// A clock runs.
    case lapping
    /// A lap has closed in this very frame; the next one has begun.
    case end
}

/// What closes a lap. Where no line is given, the timer chooses by the first time that the object came into sight and left.
package enum LapCounting: String, Sendable, Codable, CaseIterable {
    /// The object passes the line that was given, or the middle of the picture, across the way that it goes.
    case line
    /// The object comes into sight, wherever: it was there and gone without passing the middle, or boxes are not looked for.
    case sight
}

/// Something that could be timed.
package struct LapCandidate: Sendable, Equatable, Codable {
    package let label: String
    /// 0…1.
    package let confidence: Double

    package init(label: String, confidence: Double) {
        self.label = label
        self.confidence = confidence
    }
}

/// A lap that was made.
package struct Lap: Sendable, Equatable, Codable {
    /// Counts the laps of a session from 1; the number of one that was undone is not given again.
    package let number: Int
    package let label: String
    /// Tells objects of one kind apart: stays with the object from lap to lap, whatever track it has when it comes back.
    package let runner: Int
    /// The track by which it was seen when the lap closed; nil by classification alone.
    package let track: Int?
    /// When it began, in milliseconds of the stream.
    package internal(set) var startedMilliseconds: Double
    /// How long it took.
    package internal(set) var lapMilliseconds: Double
    /// Of the object when the lap closed, 0…1.
    package let confidence: Double

    package var endedMilliseconds: Double { startedMilliseconds + lapMilliseconds }
}

/// What a timed object looks like in one frame.
package struct LapSighting: Sendable, Equatable {
    package let track: Int
    package let label: String
    /// The centre and the extent of its box, in fractions of the upright picture.
    package let x: Double
    package let y: Double
    package let width: Double
    package let height: Double
    /// 0…1.
    package let confidence: Double
    /// What else it may be, and its species or breed, each with how likely that is.
    package let others: [LapCandidate]

    package init(
        track: Int, label: String, x: Double, y: Double, width: Double, height: Double, confidence: Double,
        others: [LapCandidate] = []
    ) {
        self.others = others
        self.track = track
        self.label = label
        self.x = x
        self.y = y
        self.width = width
        self.height = height
        self.confidence = confidence
    }

    /// How likely it is what a label says; nil where that is not among what it may be.
    package func confidence(of label: String) -> Double? {
        label == self.label ? confidence : others.first { $0.label == label }?.confidence
    }
}

/// What a frame has changed.
package enum LapEvent: Sendable, Equatable {
    case state(LapState)
    /// An object's clock has started, at a time in milliseconds of the stream.
    case started(runner: Int, label: String, atMilliseconds: Double)
    case lap(Lap)
}

/// Why a lap timer does not do what it is told.
package enum LapError: Error, Equatable, Sendable {
    /// Nothing is in sight, and no label was given, so that there is nothing to time.
    case noCandidate
    /// The timer runs already.
    case alreadyStarted
    /// There is no such lap.
    case unknownLap(Int)
}
