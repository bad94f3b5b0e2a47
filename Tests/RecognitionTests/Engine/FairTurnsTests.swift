import Base
import Testing
@testable import Recognition

@Suite struct FairTurnsTests {
    /// Serves models that always have waiting photos, until this many seconds have passed. A turn is one photo.
    ///
    /// - Parameter costs: the seconds per photo.
    /// - Returns: the seconds and photos of each model.
    func serve(
        _ turns: inout FairTurns<String>, _ costs: [String: Double], for seconds: Double
    ) -> [String: (seconds: Double, photos: Int)] {
        var served: [String: (seconds: Double, photos: Int)] = [:]
        var time = 0.0
        while time < seconds {
            guard let key = turns.order(of: costs.keys.sorted()).first, let cost = costs[key] else { break }
            let estimate = turns.begin(key)
            turns.end(key, estimate: estimate, seconds: cost)
            served[key, default: (0, 0)].seconds += cost
            served[key, default: (0, 0)].photos += 1
            time += cost
        }
        return served
    }

    @Test func `models get the same time, whatever their photos cost`() throws {
        var turns = FairTurns<String>()
        let served = serve(&turns, ["quick": 0.001, "slow": 0.009, "middling": 0.003], for: 9)
        for name in ["quick", "slow", "middling"] {
            #expect(abs(try #require(served[name]).seconds - 3) < 0.03, "\(name): \(served)")
        }
        #expect(try #require(served["quick"]).photos > 8 * #require(served["slow"]).photos)
    }

    @Test func `idleness earns no credit`() throws {
        var turns = FairTurns<String>()
        _ = serve(&turns, ["early": 0.01], for: 100)
        let served = serve(&turns, ["early": 0.01, "late": 0.01], for: 1)
        #expect(abs(try #require(served["early"]).photos - #require(served["late"]).photos) <= 2, "\(served)")
    }

    @Test func `a model with one photo at a time gets its half beside a flood`() throws {
        // The model that returns after each answer asks only every second time. It then gets its turn at once.
        var turns = FairTurns<String>()
        var photos = 0
        for turn in 0..<200 {
            let waiting = turn % 2 == 0 ? ["flood"] : ["flood", "single"]
            let key = try #require(turns.order(of: waiting).first)
            let estimate = turns.begin(key)
            turns.end(key, estimate: estimate, seconds: 0.01)
            photos += key == "single" ? 1 : 0
        }
        #expect(photos >= 98)
    }

    @Test func `workers that begin at the same time spread over the models`() {
        var turns = FairTurns<String>()
        var begun: [String] = []
        for _ in 0..<6 {
            let key = turns.order(of: ["a", "b", "c"]).first ?? ""
            _ = turns.begin(key)
            begun.append(key)
        }
        #expect(begun.sorted() == ["a", "a", "b", "b", "c", "c"])
    }
}

@Suite struct PermitsTests {
    /// The number of admitted photos among these.
    func take(_ count: Int, _ model: String?, from permits: inout Permits) -> Int {
        var taken = 0
        for _ in 0..<count where permits.take(model) { taken += 1 }
        return taken
    }

    @Test func `one model may have every place, and no more`() {
        var permits = Permits(limit: 16)
        let taken = take(20, "a", from: &permits)
        #expect(taken == 16 && permits.inside == 16)
        permits.giveBack("a")
        let again = take(2, "a", from: &permits)
        #expect(again == 1)
    }

    @Test func `a busy model leaves the others an eighth of its places`() {
        var permits = Permits(limit: 16)
        let busy = take(16, "busy", from: &permits)
        let other = take(5, "other", from: &permits)
        let more = take(1, "busy", from: &permits)
        #expect(busy == 16 && other == 2 && more == 0 && permits.inside == 18)
        permits.giveBack("other")
        let again = take(1, "other", from: &permits)
        #expect(again == 1)
    }

    @Test func `a model that is not loaded has no reserved places`() {
        var permits = Permits(limit: 2)
        let unknown = take(5, nil, from: &permits)
        #expect(unknown == 2)
        permits.giveBack(nil)
        permits.giveBack(nil)
        let known = take(1, "a", from: &permits)
        #expect(known == 1 && permits.inside == 1)
    }
}
