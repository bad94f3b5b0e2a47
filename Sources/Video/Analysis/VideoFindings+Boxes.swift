import Base

/// The boxes of a track, in the order of their times. A long film has thousands of tracks, and one of them may have
/// tens of thousands of boxes. So no pair of tracks may cost as much as all boxes of the longer one.
extension [VideoFindings.Box] {
    /// The number of boxes before a time.
    func count(before milliseconds: Int) -> Int { leadingCount { $0.milliseconds < milliseconds } }

    /// The pairs of boxes in the pictures that both tracks have.
    func inPictures(of others: Self) -> [(Element, Element)] {
        guard count <= others.count else { return others.inPictures(of: self).map { ($1, $0) } }
        return compactMap { box in
            let index = others.count(before: box.milliseconds)
            guard index < others.count, others[index].milliseconds == box.milliseconds else { return nil }
            return (box, others[index])
        }
    }

    /// All boxes of both. Of two boxes in one picture the more confident stays.
    func merged(with others: Self) -> Self {
        var (all, rest) = ([], others[...]) as (Self, SubSequence)
        all.reserveCapacity(count + others.count)
        for box in self {
            while let other = rest.first, other.milliseconds < box.milliseconds { all.append(rest.removeFirst()) }
            if let other = rest.first, other.milliseconds == box.milliseconds {
                all.append(other.confidence > box.confidence ? other : box)
                rest.removeFirst()
            } else {
                all.append(box)
            }
        }
        return all + rest
    }
}
