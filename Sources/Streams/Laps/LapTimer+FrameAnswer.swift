import Base
import Imaging
package import Recognition

extension LapTimer {
    /// What only the classifier knows has no boxes: one's own car, of a model that was trained on it.
    private func isTimedByBoxes(in answer: FrameAnswer) -> Bool {
        guard answer.wasSearched else { return false }
        guard let label = label ?? configuration.label, !answer.boxLabels.contains(label) else { return true }
        return answer.single.heads.allSatisfy { $0.confidence(of: label) == nil }
    }

    /// A frame of a stream, with boxes where a detector looked.
    ///
    /// - Parameter now: milliseconds of the session, to which several streams may belong.
    package mutating func observe(_ answer: FrameAnswer, atMilliseconds now: Double) -> [LapEvent] {
        if let pointed = answer.pointed {
            return observe(LapSighting(pointed).map { [$0] } ?? [], atMilliseconds: now)
        }
        guard isTimedByBoxes(in: answer) else {
            let first = answer.single.predictions(1).first
            return observe(
                candidate: first.map { LapCandidate(label: $0.label, confidence: Double($0.confidence)) },
                confidence: { label in
                    Double(answer.single.heads.compactMap { $0.confidence(of: label) }.max() ?? 0)
                }, atMilliseconds: now)
        }
        return observe(
            answer.boxes.map { box in
                LapSighting(
                    track: box.object.track, label: box.name.label, x: box.region.x + box.region.width / 2,
                    y: box.region.y + box.region.height / 2, width: box.region.width, height: box.region.height,
                    confidence: Double(box.name.confidence), others: LapCandidate.others(of: box.name))
            }, atMilliseconds: now)
    }
}

extension LapSighting {
    /// nil while the thing that was pointed at is out of sight.
    package init?(_ pointed: PointedAnswer) {
        guard let place = pointed.place else { return nil }
        self.init(
            track: place.number, label: pointed.label, x: place.box.centreX, y: place.box.centreY,
            width: place.box.width, height: place.box.height, confidence: min(max(place.similarity, 0), 1))
    }
}

extension LapCandidate {
    /// Breeds that an object may be timed by.
    private static let breeds = 5

    /// What else something may be called than by its word.
    package static func others(of name: RegionName) -> [LapCandidate] {
        let words = name.words.filter { $0.label != name.label }
        let breeds = (name.breeds?.top(Self.breeds) ?? []).map {
            Prediction(label: $0.label, confidence: $0.confidence * name.confidence)
        }
        return (words + [name.species?.prediction].compactMap(\.self) + breeds).map {
            LapCandidate(label: $0.label, confidence: Double($0.confidence))
        }
    }
}
