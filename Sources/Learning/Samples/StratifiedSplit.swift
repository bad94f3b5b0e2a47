/// Parts photos into those that are trained on and those that are held out, class by class, with near-duplicates on one
/// side.
package struct StratifiedSplit: Sendable, Equatable {
    /// Ascending.
    package let training: [Int]
    /// Ascending.
    package let validation: [Int]

    /// Every class keeps at least one group for training; one with at least two groups has at least one held out.
    ///
    /// - Parameters:
    ///   - classes: of each photo.
    ///   - groups: photos of one group stay together, also where they are of different classes.
    ///   - share: of each class that is held out, 0…1.
    ///   - seed: the same seed parts the same photos in the same way.
    package init(classes: [Int], groups: [Int], share: Double, seed: UInt64) {
        var members: [Int: [Int]] = [:]
        for (photo, group) in groups.enumerated() { members[group, default: []].append(photo) }
        // A group counts for the class that most of its photos have.
        var groupsOfClass: [Int: [Int]] = [:]
        for (group, photos) in members {
            var counts: [Int: Int] = [:]
            for photo in photos { counts[classes[photo], default: 0] += 1 }
            let owner = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? 0
            groupsOfClass[owner, default: []].append(group)
        }
        var random = SplitMix64(seed: seed)
        var heldOut: Set<Int> = []
        for owner in groupsOfClass.keys.sorted() where share > 0 {
            let groups = random.shuffled(groupsOfClass[owner, default: []].sorted())
            let total = groups.reduce(0) { $0 + (members[$1]?.count ?? 0) }
            let wanted = max(1, (Double(total) * share).rounded())
            var count = 0.0
            for group in groups.dropLast() where count < wanted {
                let size = Double(members[group]?.count ?? 0)
                // A large group is left to training rather than held out far beyond the share.
                guard count == 0 || count + size <= wanted + 1 else { continue }
                guard count > 0 || size <= max(wanted, Double(total) / 2) else { continue }
                heldOut.insert(group)
                count += size
            }
        }
        validation = groups.indices.filter { heldOut.contains(groups[$0]) }
        training = groups.indices.filter { !heldOut.contains(groups[$0]) }
    }
}
