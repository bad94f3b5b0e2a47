import Learning
import Testing

@Suite("Means of classes") struct ClassMeansTests {
    private static let columns = 40

    /// Photos around one axis. Each deviates along its own axis by the same amount.
    private static func photos(of axis: Int, _ count: Int, first: Int = 10) -> [[Float]] {
        (0..<count).map { number in
            var row = [Float](repeating: 0, count: columns)
            row[axis] = 1
            row[first + number] = 1
            return row
        }
    }

    private static let rows = photos(of: 0, 20) + photos(of: 1, 20)
    private static let classes = [Int](repeating: 0, count: 20) + [Int](repeating: 1, count: 20)

    @Test("A photo like those of a class is near, one of another direction is far, however long")
    func distance() throws {
        let means = try #require(
            ClassMeans(Self.rows, classes: Self.classes, groups: Array(0..<40), classCount: 2))
        let known = Self.photos(of: 0, 10, first: 30) + Self.photos(of: 1, 10, first: 30)
        #expect(known.allSatisfy { !means.isFar($0) && !means.isFar($0.map { $0 * 9 }) })
        let strangers = Self.photos(of: 2, 10) + Self.photos(of: 3, 10)
        #expect(strangers.allSatisfy { means.isFar($0) && means.isFar($0.map { $0 / 9 }) })
    }

    @Test("Photos that are nearly the same do not make the reach look smaller than it is")
    func nearDuplicates() throws {
        let twice = Self.rows + Self.rows
        let classes = Self.classes + Self.classes
        let apart = try #require(ClassMeans(twice, classes: classes, groups: Array(0..<80), classCount: 2))
        let together = try #require(
            ClassMeans(twice, classes: classes, groups: Array(0..<40) + Array(0..<40), classCount: 2))
        let once = try #require(ClassMeans(Self.rows, classes: Self.classes, groups: Array(0..<40), classCount: 2))
        #expect(apart.reach < together.reach - 0.001)
        #expect(abs(together.reach - once.reach) < 0.000_1)
    }

    @Test("One odd photo in fifty does not decide, and a class that is of everything leaves nothing far")
    func outliers() throws {
        let odd = Self.photos(of: 4, 1)
        let base = Self.rows + Self.photos(of: 0, 20, first: 15)
        let classes = Self.classes + [Int](repeating: 0, count: 20)
        let means = try #require(
            ClassMeans(base + odd, classes: classes + [1], groups: Array(0..<61), classCount: 2))
        #expect(means.isFar(Self.photos(of: 5, 1)[0]))
        let everything = (0..<40).map { axis in (0..<Self.columns).map { $0 == axis ? Float(1) : 0 } }
        let wide = try #require(
            ClassMeans(
                Self.rows + everything, classes: Self.classes + [Int](repeating: 2, count: 40), groups: Array(0..<80),
                classCount: 3))
        #expect(!wide.isFar(Self.photos(of: 5, 1)[0]))
    }

    @Test("A model of few photos, or of photos that are nearly the same, takes what is far for unknown")
    func fewPhotos() throws {
        let few = Self.photos(of: 0, 20) + Self.photos(of: 1, 4)
        let alike = (0..<9).map { number in
            (0..<Self.columns).map { $0 == number % 2 ? Float(1) : $0 == 10 + number ? 0.2 : 0 }
        }
        for (rows, classes, groups) in [
            (few, [Int](repeating: 0, count: 20) + [Int](repeating: 1, count: 4), Array(0..<24)),
            (alike, (0..<9).map { $0 % 2 }, Array(0..<9)), (alike, (0..<9).map { $0 % 2 }, (0..<9).map { $0 % 2 }),
        ] {
            let means = try #require(ClassMeans(rows, classes: classes, groups: groups, classCount: 2))
            #expect(means.reach == ClassMeans.usualReach)
            #expect(Self.photos(of: 2, 10).allSatisfy { means.isFar($0) })
            #expect(Self.photos(of: 1, 10, first: 30).allSatisfy { !means.isFar($0) })
            #expect(!means.isFar([1, 2]) && !means.isFar([]), "other features than those that were learnt")
        }
        #expect(ClassMeans([], classes: [], groups: [], classCount: 0) == nil)
    }
}
