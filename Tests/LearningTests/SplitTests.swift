import Testing

@testable import Learning

@Suite struct SplitTests {
    @Test func eachClassIsHeldOutInProportion() {
        let classes = (0..<300).map { $0 < 200 ? 0 : $0 < 290 ? 1 : 2 }
        let split = StratifiedSplit(classes: classes, groups: Array(classes.indices), share: 0.2, seed: 1)
        #expect(split.validation.count { classes[$0] == 0 } == 40)
        #expect(split.validation.count { classes[$0] == 1 } == 18)
        #expect(split.validation.count { classes[$0] == 2 } == 2)
        #expect((split.training + split.validation).sorted() == Array(classes.indices))
    }

    @Test func theSeedDecidesAndNothingElse() {
        let classes = (0..<100).map { $0 % 4 }
        func split(_ seed: UInt64) -> StratifiedSplit {
            StratifiedSplit(classes: classes, groups: Array(classes.indices), share: 0.25, seed: seed)
        }
        #expect(split(7) == split(7))
        #expect(split(7) != split(8))
    }

    @Test func nearDuplicatesStayTogether() {
        let classes = [Int](repeating: 0, count: 40) + [Int](repeating: 1, count: 40)
        let groups = classes.indices.map { $0 / 4 * 4 }
        let split = StratifiedSplit(classes: classes, groups: groups, share: 0.3, seed: 3)
        #expect(!split.validation.isEmpty)
        let heldOut = Set(split.validation.map { groups[$0] })
        #expect(heldOut.isDisjoint(with: split.training.map { groups[$0] }))
    }

    @Test func aClassOfOneGroupIsTrainedOn() {
        let split = StratifiedSplit(classes: [0, 0, 0, 1, 1], groups: [0, 0, 0, 3, 4], share: 0.5, seed: 1)
        #expect(split.training.starts(with: [0, 1, 2]) && split.validation.count == 1)
        #expect(StratifiedSplit(classes: [0, 1], groups: [0, 1], share: 0, seed: 1).validation.isEmpty)
    }

    @Test func aPictureScaledOrBrightenedIsTheSame() {
        let picture = Self.picture(seed: 1, side: 192)
        let hash = PerceptualHash(width: 192, height: 192, rgb: picture)
        var half: [UInt8] = []
        for place in 0..<96 * 96 {
            let source = (place / 96 * 2 * 192 + place % 96 * 2) * 3
            half += picture[source..<source + 3]
        }
        let brighter = picture.map { UInt8(min(255, Int($0) + 12)) }
        #expect(hash.distance(to: PerceptualHash(width: 96, height: 96, rgb: half)) <= NearDuplicates.maximumDistance)
        #expect(
            hash.distance(to: PerceptualHash(width: 192, height: 192, rgb: brighter))
                <= NearDuplicates.maximumDistance)
        let others = (2...40).map { PerceptualHash(width: 192, height: 192, rgb: Self.picture(seed: $0, side: 192)) }
        #expect(others.allSatisfy { $0.distance(to: hash) > NearDuplicates.maximumDistance })
        #expect(NearDuplicates.groups(of: [hash, others[0], hash, others[1], others[0]]) == [0, 1, 0, 3, 1])
    }

    /// Soft patches of light and shade.
    private static func picture(seed: UInt64, side: Int) -> [UInt8] {
        var random = SplitMix64(seed: seed)
        let patches = (0..<12).map { _ in
            (
                x: random.below(side), y: random.below(side), radius: 10 + random.below(60),
                level: random.below(200) - 100
            )
        }
        return (0..<side * side).flatMap { place -> [UInt8] in
            var level = 128
            for patch in patches {
                let (x, y) = (place % side - patch.x, place / side - patch.y)
                if x * x + y * y < patch.radius * patch.radius { level += patch.level }
            }
            return [UInt8](repeating: UInt8(min(max(level, 0), 255)), count: 3)
        }
    }
}
