import Base
import Foundation
import Testing
import TestSupport

@testable import Storage

/// A run of photos that several machines share.
@Suite(.enabled(if: PostgreSQLServer.isAvailable)) struct SharedRunTests {
    private func withRun(_ body: (SharedRun, SharedRun) async throws -> Void) async throws {
        let database = try PostgreSQLServer.shared.get().newDatabase()
        let first = try await SharedRun.open("night", connectionString: database)
        let second = try await SharedRun.open("night", connectionString: database)
        try await body(first, second)
        try await first.close()
        try await second.close()
    }

    private func answer(_ photo: String, _ text: String = "{}", failed: Bool = false) -> SharedRun.Answer {
        SharedRun.Answer(photo: photo, answer: text, failed: failed)
    }

    @Test func `every photo is claimed once, however many machines ask at a time`() async throws {
        try await withRun { first, second in
            let photos = (0..<2_500).map { "s3://zoo/“\($0)”.jpg" }
            async let here: Void = first.add(photos)
            async let there: Void = second.add(Array(photos.reversed()))
            _ = try await (here, there)
            let claimed = try await withThrowingTaskGroup(of: [String].self) { group in
                for number in 0..<50 {
                    group.addTask { try await (number % 2 == 0 ? first : second).claim(50, for: 60) }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(claimed.count == 2_500 && Set(claimed) == Set(photos))
            #expect(try await first.claim(1, for: 60).isEmpty)
            #expect(try await second.isOpen)
        }
    }

    @Test func `a claim that ran out is another machine's; the first answer stays`() async throws {
        try await withRun { first, second in
            try await first.add(["a.jpg", "b.jpg"])
            #expect(try await first.claim(2, for: -2).sorted() == ["a.jpg", "b.jpg"])
            #expect(try await second.claim(1, for: 60) == ["a.jpg"])
            #expect(try await second.keep([answer("a.jpg", #"{"by":"second"}"#)]) == 1)
            #expect(try await first.keep([answer("a.jpg", #"{"by":"first"}"#), answer("b.jpg", failed: true)]) == 1)
            #expect(try await second.answers(after: "").map(\.answer) == [#"{"by":"second"}"#, "{}"])
            #expect(try await second.counts == SharedRun.Counts(photos: 2, answered: 2, failed: 1))
            #expect(try await !first.isOpen)
            #expect(try await first.answers(after: "a.jpg").map(\.photo) == ["b.jpg"])
        }
    }

    @Test func `a claim from before the server's clock was set back is over`() async throws {
        try await withRun { first, second in
            try await first.add(["a.jpg"])
            #expect(try await first.claim(1, for: 86_400) == ["a.jpg"])
            #expect(try await second.claim(1, for: 60) == ["a.jpg"])
        }
    }

    @Test func `what failed is tried again on demand; runs do not mix, and go`() async throws {
        try await withRun { first, _ in
            let other = SharedRun(database: first.database, name: "day")
            for run in [first, other] { try await run.add(["a.jpg", "b.jpg"]) }
            _ = try await first.keep([answer("a.jpg"), answer("b.jpg", failed: true)])
            try await first.reopenFailed()
            #expect(try await first.claim(9, for: 60) == ["b.jpg"])
            #expect(try await other.claim(9, for: 60).count == 2)
            // Photos that are added again stay as they are.
            try await first.add(["a.jpg", "b.jpg", "c.jpg"])
            #expect(try await first.counts == SharedRun.Counts(photos: 3, answered: 1, failed: 0))
            try await first.remove()
            #expect(try await first.counts == SharedRun.Counts(photos: 0, answered: 0, failed: 0))
            #expect(try await other.counts.photos == 2)
        }
    }
}
