import Testing
@testable import Streams

@Suite("Budget of classified crops") struct LookBudgetTests {
    @Test func `a file's budget counts frames, and does not depend on the machine`() {
        var budget = LookBudget(isLive: false)
        var taken = 0
        for frame in 1...100 {
            budget.advance(toMilliseconds: Double(frame) * 100)
            let looks = min(3, budget.affordable)
            budget.pay(for: looks, milliseconds: frame.isMultiple(of: 2) ? 1 : 5_000)
            taken += looks
        }
        #expect((80...90).contains(taken))
    }

    @Test func `a live stream's crops take a share of the time, so a busy machine classifies fewer`() {
        func looks(costing cost: Double) -> Int {
            var budget = LookBudget(isLive: true)
            var taken = 0
            for frame in 0..<300 {
                budget.advance(toMilliseconds: Double(frame) * 33)
                let looks = min(4, budget.affordable)
                budget.pay(for: looks, milliseconds: Double(looks) * cost)
                taken += looks
            }
            return taken
        }
        let (idle, busy) = (looks(costing: 8), looks(costing: 80))
        #expect(busy < idle / 5)
        // 15 % of 9.9 s, and the saved amount.
        let limit = 1_485 + 350
        #expect(idle * 8 < limit)
    }

    @Test func `time that runs backwards pays nothing`() {
        var budget = LookBudget(isLive: true)
        budget.advance(toMilliseconds: 10_000)
        budget.pay(for: 1, milliseconds: 400)
        let before = budget.affordable
        budget.advance(toMilliseconds: 0)
        budget.advance(toMilliseconds: 10_000)
        #expect(budget.affordable == before)
    }
}
