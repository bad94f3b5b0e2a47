import Testing

@testable import Streams

@Suite("Numbers of shown tracks") struct ShownNumbersTests {
    private var numbers = ShownNumbers()

    private mutating func show(_ tracks: [Int], hiding hidden: [Int: Int] = [:]) -> [Int] {
        numbers.show(tracks, hiding: hidden, known: [1, 2, 3])
        return tracks.map(numbers.number)
    }

    @Test mutating func `an animal with two boxes keeps its number when only the second box is left`() {
        #expect(show([1], hiding: [2: 1]) == [1])
        #expect(show([2]) == [1])
        #expect(show([2], hiding: [3: 2]) == [1])
        #expect(show([3]) == [1])
    }

    @Test mutating func `two animals that are shown at once have two numbers from then on`() {
        #expect(show([1], hiding: [2: 1]) == [1])
        #expect(show([1, 2]) == [1, 2])
        #expect(show([2]) == [2])
    }

    @Test mutating func `of two boxes left of one animal the surer one gets its number`() {
        #expect(show([1], hiding: [2: 1, 3: 1]) == [1])
        #expect(show([3, 2]) == [1, 2])
    }

    @Test mutating func `an animal that was shown before keeps its number behind another`() {
        #expect(show([1, 2]) == [1, 2])
        #expect(show([1], hiding: [2: 1]) == [1])
        #expect(show([2]) == [2])
    }
}
