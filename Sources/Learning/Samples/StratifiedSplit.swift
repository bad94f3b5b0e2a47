/// Divides photos into training and held-out ones, class by class. Near-duplicates stay together.
package struct StratifiedSplit: Sendable, Equatable {
    /// Indices of the photos, ascending.
    package let training: [Int]
    /// Indices of the photos, ascending.
    package let validation: [Int]

    /// Keeps at least one group of every class for training. A class with two or more groups also has one held out.
    ///
    /// - Parameters:
    ///   - classes: the class of each photo.
    ///   - groups: the group of each photo. Groups stay together, even across classes.
    ///   - share: the share of each class that is held out, 0…1.
    ///   - seed: the same seed divides the same photos in the same way.
    package init(classes: [Int], groups: [Int], share: Double, seed: UInt64) {
        var members: [Int: [Int]] = [:]
        for (photo, group) in groups.enumerated() { members[group, default: []].append(photo) }
        // A group counts for the class of most of its photos.
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
                // A large group stays in training if holding it out would far exceed the share.
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
