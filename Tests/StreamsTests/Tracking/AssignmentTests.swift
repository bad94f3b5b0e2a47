import Streams
import TestSupport
import Testing

struct AssignmentTests {
    @Test func `The cheapest pairing is found`() {
        #expect(Assignment.solve([[4, 1, 3], [2, 0, 5], [3, 2, 2]], below: 100) == [1, 0, 2])
    }

    @Test func `There may be more rows than columns, and the other way round`() {
        #expect(Assignment.solve([[1], [0.5], [2]], below: 10) == [nil, 0, nil])
        #expect(Assignment.solve([[3, 1, 2]], below: 10) == [1])
        #expect(Assignment.solve([], below: 1).isEmpty)
        #expect(Assignment.solve([[], []], below: 1) == [nil, nil])
    }

    @Test func `A pair at the limit or with a cost of NaN is not made`() {
        #expect(Assignment.solve([[0.8, .infinity], [.nan, 0.79]], below: 0.8) == [nil, 1])
    }

    @Test func `One dear pair is not bought for two cheap ones`() {
        // Two pairs would cost 0.7 + 0.7. The pair at 0.1 and two singles cost 0.1 + 0.8.
        #expect(Assignment.solve([[0.1, 0.7], [0.7, .infinity]], below: 0.8) == [0, nil])
    }

    @Test(arguments: 0..<200)
    func `It agrees with trying everything`(seed: Int) {
        var numbers = SeededNumbers(seed: UInt64(seed))
        let (rows, columns) = (Int.random(in: 1...5, using: &numbers), Int.random(in: 1...5, using: &numbers))
        let costs = (0..<rows).map { _ in (0..<columns).map { _ in Double.random(in: 0...1, using: &numbers) } }
        let limit = Double.random(in: 0.2...1, using: &numbers)
        func price(_ pairs: [Int?]) -> Double {
            pairs.enumerated().reduce(0.0) { sum, pair in
                sum + (pair.element.map { costs[pair.offset][$0] - limit } ?? 0)
            }
        }
        func best(_ row: Int, _ taken: Set<Int>) -> Double {
            guard row < rows else { return 0 }
            let free = (0..<columns).filter { !taken.contains($0) && costs[row][$0] < limit }
            return free.reduce(best(row + 1, taken)) {
                min($0, costs[row][$1] - limit + best(row + 1, taken.union([$1])))
            }
        }
        let pairs = Assignment.solve(costs, below: limit)
        #expect(abs(price(pairs) - best(0, [])) < 1e-9)
        #expect(Set(pairs.compactMap(\.self)).count == pairs.compactMap(\.self).count)
    }
}
