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
        var events = rest()
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
        guard seen - runner.startedMilliseconds >= configuration.minimumMilliseconds else { return events }
        events += close(runner.number, track: nil, confidence: value, atMilliseconds: seen)
        return events
    }
}
