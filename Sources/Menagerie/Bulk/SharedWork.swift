import Base
import Foundation
import Storage

/// This machine's part in a run that several machines share. It claims photos and answers them until every photo has an
/// answer, including those of machines that went away.
struct SharedWork {
    /// The number of claims at once. They keep the engine busy while answers are stored.
    private static let hands = 4
    /// The duration of a claim, in seconds: several times what its photos take on a slow machine.
    private static let claim = 120
    /// The time between two tries to claim photos when other machines hold all the remaining ones.
    private static let pause = Duration.seconds(1)
    /// The time between two counts of the progress of all machines.
    private static let counting = Duration.seconds(10)

    let run: SharedRun
    let photos: BulkPhotos
    let line: AnswerLine

    private enum Round {
        case answered([(photo: String, failure: (any Error)?)])
        case waited
        case over
    }

    /// - Returns: the results of this machine's photos.
    /// - Throws: if the database or the store is away for too long. Other machines can claim the photos some time
    ///   later.
    func work() async throws -> BulkTally {
        var tally = BulkTally(before: 0, failures: 0)
        var (counts, counted, since) = (try await run.counts, ContinuousClock.now, 0)
        let bar = ProgressBar(unit: "photos")
        try await withThrowingTaskGroup(of: Round.self) { group in
            for _ in 0..<Self.hands { group.addTask { try await round() } }
            while let round = try await group.next() {
                switch round {
                case .over: continue
                case .waited: break
                case .answered(let results):
                    for (photo, failure) in results {
                        tally.count(isFailure: failure != nil)
                        if let failure { printError("\(photo): \(failure)") }
                    }
                    since += results.count
                }
                group.addTask { try await self.round() }
                if ContinuousClock.now - counted > Self.counting {
                    (counts, counted, since) = (try await run.counts, ContinuousClock.now, 0)
                }
                bar.show(counts.answered + since, of: counts.photos)
            }
        }
        bar.finish()
        return tally
    }

    private func round() async throws -> Round {
        let claimed = try await run.claim(max(1, photos.atOnce / Self.hands), for: Self.claim)
        guard !claimed.isEmpty else {
            guard try await run.isOpen else { return .over }
            try await Task.sleep(for: Self.pause)
            return .waited
        }
        let answers = try await claimed.concurrentMap { photo in
            let result = try await photos.answer(photo)
            let json = String(decoding: try line.json(photo, result), as: UTF8.self)
            var failure: (any Error)?
            if case .failure(let error) = result { failure = error }
            return (SharedRun.Answer(photo: photo, answer: json, failed: failure != nil), failure)
        }
        _ = try await run.keep(answers.map(\.0))
        return .answered(answers.map { ($0.0.photo, $0.1) })
    }

    /// Writes the answers to a file, one a line, in the order of the photos. Replaces an existing file.
    static func write(_ run: SharedRun, to path: String) async throws {
        let partial = path + ".partial"
        FileSystem.remove(partial)
        do {
            let file = try ResultsFile(partial)
            var last = ""
            while true {
                let answers = try await run.answers(after: last)
                guard let end = answers.last else { break }
                try file.append(Array(answers.map(\.answer).joined(separator: "\n").utf8))
                last = end.photo
            }
            try FileSystem.publish(partial, as: path)
        } catch {
            FileSystem.remove(partial)
            throw (error as? FileError)?.about(path) ?? error
        }
    }
}
