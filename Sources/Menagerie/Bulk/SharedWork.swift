import Base
import Foundation
import History

/// This machine's part in a run that several share: it claims photos and answers them until every photo has an answer,
/// those of machines that went away included.
struct SharedWork {
    /// Claims under way at a time, so that the engine has work while answers are kept.
    private static let hands = 4
    /// Seconds that a claim holds: some times what its photos take on a slow machine.
    private static let claim = 120
    /// Until it is asked again, where other machines have claimed all that is left.
    private static let pause = Duration.seconds(1)
    /// Between two counts of what all machines have done.
    private static let counting = Duration.seconds(10)

    let run: SharedRun
    let photos: BulkPhotos
    let line: AnswerLine

    private enum Round {
        case answered([(photo: String, failure: (any Error)?)])
        case waited
        case over
    }

    /// - Returns: what came of the photos of this machine.
    /// - Throws: where the database or the store of the photos is away for too long. What was claimed is free again after a
    ///   while.
    func work() async throws -> BulkTally {
        var tally = BulkTally(before: 0, failures: 0)
        var (counts, counted, since) = (try await run.counts, ContinuousClock.now, 0)
        let bar = ProgressBar(total: counts.photos, unit: "photos")
        try await withThrowingTaskGroup(of: Round.self) { group in
            for _ in 0..<Self.hands { group.addTask { try await round() } }
            while let round = try await group.next() {
                switch round {
                case .over: continue
                case .waited: break
                case .answered(let results):
                    for (photo, failure) in results {
                        tally.count(failure.map { Result<Void, any Error>.failure($0) } ?? .success(()))
                        if let failure { FileHandle.standardError.write(Data("\(photo): \(failure)\n".utf8)) }
                    }
                    since += results.count
                }
                group.addTask { try await self.round() }
                if ContinuousClock.now - counted > Self.counting {
                    (counts, counted, since) = (try await run.counts, ContinuousClock.now, 0)
                }
                bar.show(counts.answered + since)
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
        let answers = try await withThrowingTaskGroup { group in
            for photo in claimed {
                group.addTask {
                    let result = try await photos.answer(photo)
                    let json = String(decoding: try line.json(photo, result), as: UTF8.self)
                    var failure: (any Error)?
                    if case .failure(let error) = result { failure = error }
                    return (SharedRun.Answer(photo: photo, answer: json, failed: failure != nil), failure)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        _ = try await run.keep(answers.map(\.0))
        return .answered(answers.map { ($0.0.photo, $0.1) })
    }

    /// Writes the answers to a file, a line a photo, in the order of the photos; in the place of one that is there.
    static func write(_ run: SharedRun, to path: String) async throws {
        let partial = path + ".partial"
        FileSystem.remove(partial)
        let file = try ResultsFile(partial)
        var last = ""
        while true {
            let answers = try await run.answers(after: last)
            guard let end = answers.last else { break }
            try file.append(answers.map(\.answer).joined(separator: "\n").utf8.map { $0 })
            last = end.photo
        }
        try file.synchronize()
        try FileSystem.publish(partial, as: path)
    }
}
