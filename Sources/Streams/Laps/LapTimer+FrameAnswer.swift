package import Base
package import Recognition

extension LapTimer {
    /// Labels that only the classifier knows have no boxes, such as one's own car after a training.
    private func isTimedByBoxes(in answer: FrameAnswer) -> Bool {
        guard answer.wasSearched else { return false }
        guard let label = label ?? configuration.label, !answer.boxLabels.contains(label) else { return true }
        return answer.single.heads.allSatisfy { $0.confidence(of: label) == nil }
    }

    /// Takes a frame of a stream, with boxes if a detector ran.
    ///
    /// - Parameter now: milliseconds of the session, which may span several streams.
    package mutating func observe(_ answer: FrameAnswer, atMilliseconds now: Double) -> [LapEvent] {
        if let pointed = answer.pointed {
            return observe(LapSighting(pointed).map { [$0] } ?? [], atMilliseconds: now)
        }
        guard isTimedByBoxes(in: answer) else {
            return observe(
                candidate: answer.single.predictions(1).first.map(LapCandidate.init),
                confidence: { label in
                    Double(answer.single.heads.compactMap { $0.confidence(of: label) }.max() ?? 0)
                }, atMilliseconds: now)
        }
        return observe(
            answer.boxes.map { box in
                LapSighting(
                    track: box.object.track, label: box.name.label, region: box.region,
                    confidence: Double(box.name.confidence), others: LapCandidate.others(of: box.name))
            }, atMilliseconds: now)
    }
}

extension LapSighting {
    /// Nil while the object that the user pointed at is out of sight.
    package init?(_ pointed: PointedAnswer) {
        guard let place = pointed.place else { return nil }
        self.init(
            track: place.number, label: pointed.label, region: place.box,
            confidence: min(max(place.similarity, 0), 1))
    }
}

extension LapCandidate {
    package init(_ prediction: Prediction) {
        self.init(label: prediction.label, confidence: Double(prediction.confidence))
    }

    /// The number of breeds that an object may be timed by.
    private static let breeds = 5

    /// The other labels of an object: words, species and breeds.
    package static func others(of name: RegionName) -> [LapCandidate] {
        let words = name.words.filter { $0.label != name.label }
        let breeds = (name.breeds?.top(Self.breeds) ?? []).map {
            Prediction(label: $0.label, confidence: $0.confidence * name.confidence)
        }
        return (words + [name.species?.prediction].compactMap(\.self) + breeds).map(LapCandidate.init)
    }
}

/// Lap timing by the classification of the whole picture.
extension LapTimer {
    /// Takes a frame that was only classified. The object is seen again when its confidence rises above the threshold
    /// after falling below half of it.
    ///
    /// - Parameters:
    ///   - candidate: the likeliest label of the frame.
    ///   - confidence: the classifier's confidence in a label, 0 for an unknown one.
    package mutating func observe(
        candidate: LapCandidate?, confidence: (String) -> Double, atMilliseconds now: Double
    ) -> [LapEvent] {
        guard advance(to: now) else { return [] }
        if let candidate { note(candidate.label, candidate.confidence, now) }
        guard let label, state != .warmUp else {
            // An object in sight at the start must leave before a lap can close.
            isInSight = candidate != nil
            return []
        }
        let events = rest()
        counting = .sight
        let value = confidence(label)
        if reference == nil { reference = value >= 0.5 ? value : nil }
        let limit = max(configuration.threshold * (reference ?? 1), 0.001)
        defer { lastConfidence = (value, now) }
        if state == .start, isInSight, value >= limit {
            // The chosen object is in sight, so its clock starts with the first frame.
            return events + begin(label, atMilliseconds: now, isForward: nil)
        }
        if isInSight {
            isInSight = value >= limit / 2
            return events
        }
        guard value >= limit else { return events }
        isInSight = true
        let moment = lastConfidence.map { last in
            last.milliseconds + (now - last.milliseconds) * (limit - last.value) / max(value - last.value, 1e-9)
        }
        let seen = min(max(moment ?? now, lastConfidence?.milliseconds ?? now), now)
        guard let runner = runners.first else { return events + begin(label, atMilliseconds: seen, isForward: nil) }
        guard isLap(seen, of: runner) else { return events }
        return events + close(runner.number, track: nil, confidence: value, atMilliseconds: seen)
    }
}
