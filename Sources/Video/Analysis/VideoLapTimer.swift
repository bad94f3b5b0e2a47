import Base
package import Recognition
package import Streams

/// Times laps in an analysed video, either by the joined tracks or by the classification of each picture. The rules are
/// those of `LapTimer`. A pure value.
package struct VideoLapTimer: Sendable {
    /// The way in which an object is seen.
    package enum Means: String, Sendable, Codable, CaseIterable {
        /// Its boxes pass a line.
        case boxes
        /// The classifier names it, wherever it is.
        case classification
        /// The object was pointed at and is recognised by its appearance.
        case appearance = "look"

        /// Chooses boxes if the detector knows the label, otherwise classification. Nil if neither knows it.
        package init?(_ label: String, among labels: FrameLabels) {
            if labels.boxes.contains(label) {
                self = .boxes
            } else if labels.heads.contains(label) {
                self = .classification
            } else {
                return nil
            }
        }
    }

    private struct Picture: Sendable {
        let milliseconds: Int
        let candidate: LapCandidate?
        /// The classifier's confidence in the label being timed.
        let confidence: Double
        /// The place of the object that was pointed at. Nil if it is out of sight.
        let pointed: LapSighting?
    }

    private let configuration: LapConfiguration
    private let label: String
    private let means: Means
    private var pictures: [Picture] = []

    /// The time after the last picture at which an object on the line has certainly passed it, in milliseconds.
    private static let afterwards = 10_000.0

    /// - Parameter label: the label to time, a word of the detector or of the classifier.
    package init(label: String, configuration: LapConfiguration, means: Means) {
        var configuration = configuration
        configuration.label = label
        self.configuration = configuration
        self.label = label
        self.means = means
    }

    /// Records the answer for a picture.
    package mutating func add(_ answer: FrameAnswer, at milliseconds: Int) {
        pictures.append(
            Picture(
                milliseconds: milliseconds,
                candidate: answer.single.predictions(1).first.map(LapCandidate.init),
                confidence: Double(answer.single.heads.compactMap { $0.confidence(of: label) }.max() ?? 0),
                pointed: answer.pointed.flatMap(LapSighting.init)))
    }

    /// The completed laps, and the event that closed them (nil if none did). The first passing starts the clock.
    ///
    /// - Parameter findings: the findings from the same pictures.
    package func laps(_ findings: VideoFindings) -> (laps: [Lap], counting: LapCounting?) {
        var timer = LapTimer(configuration: configuration)
        // The timer has a label and is not running, so starting it succeeds.
        guard (try? timer.start()) != nil else { return ([], nil) }
        let sightings = sightings(findings.tracks)
        for picture in pictures {
            let now = Double(picture.milliseconds)
            switch means {
            case .boxes:
                _ = timer.observe(sightings[picture.milliseconds] ?? [], atMilliseconds: now)
            case .classification:
                _ = timer.observe(
                    candidate: picture.candidate, confidence: { _ in picture.confidence }, atMilliseconds: now)
            case .appearance: _ = timer.observe([picture.pointed].compactMap(\.self), atMilliseconds: now)
            }
        }
        if means != .classification, let last = pictures.last {
            _ = timer.observe([], atMilliseconds: Double(last.milliseconds) + Self.afterwards)
        }
        return (timer.laps, timer.counting)
    }

    private func sightings(_ tracks: [VideoFindings.Track]) -> [Int: [LapSighting]] {
        var sightings: [Int: [LapSighting]] = [:]
        for track in tracks {
            for box in track.boxes {
                sightings[box.milliseconds, default: []].append(
                    LapSighting(
                        track: track.track, label: track.label, region: box.region,
                        confidence: track.best.confidence, others: track.others))
            }
        }
        return sightings
    }
}

extension VideoFindings.Track {
    /// Its names besides the label.
    fileprivate var others: [LapCandidate] {
        (words.filter { $0.label != label } + breeds + [species?.prediction].compactMap(\.self)).map(LapCandidate.init)
    }
}

extension LapConfiguration.Point {
    /// Reads a point such as `0.4,0.6`, in fractions of the picture. Nil for anything else.
    package init?(_ text: String) {
        guard let values = Self.fractions(text, 2) else { return nil }
        self.init(x: values[0], y: values[1])
    }

    /// Reads this many numbers from 0 to 1 with commas between them.
    fileprivate static func fractions(_ text: String, _ count: Int) -> [Double]? {
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double(decimal: $0) }
        let values = numbers.compactMap(\.self).filter((0...1).contains)
        return numbers.count == count && values.count == count ? values : nil
    }
}

extension LapConfiguration.Line {
    /// Reads two different points such as `0.5,0,0.5,1`, in fractions of the picture. Nil for anything else.
    package init?(_ text: String) {
        guard let values = LapConfiguration.Point.fractions(text, 4), values[..<2] != values[2...] else { return nil }
        self.init(from: .init(x: values[0], y: values[1]), to: .init(x: values[2], y: values[3]))
    }
}
