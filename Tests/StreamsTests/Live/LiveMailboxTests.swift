import TestSupport
import Testing

@testable import Streams

@Suite("The mailbox of a stream", .timeLimit(.minutes(1))) struct LiveMailboxTests {
    private struct Blind: Error {}

    private func seen(_ work: LiveMailbox<String>.Work?) -> Int? {
        if case .seen(let frame, _) = work { frame.number } else { nil }
    }

    /// Offers a frame and takes it.
    private func begin(_ mailbox: LiveMailbox<String>) async throws -> LiveFrame {
        mailbox.offer(frame: [1])
        return try #require(await mailbox.nextFrame())
    }

    @Test func newerFramesReplaceTheOneThatWaits() async throws {
        let mailbox = LiveMailbox<String>(lanes: FrameLanes(count: 1))
        let first = try await begin(mailbox)
        #expect(!mailbox.offer(frame: [2]))
        #expect(mailbox.offer(frame: [3]) && mailbox.offer(frame: [4]))
        mailbox.saw(.failure(Blind()), in: first)
        #expect(seen(await mailbox.next()) == 1)
        #expect(await mailbox.nextFrame()?.number == 4)
        #expect(mailbox.dropped == 2)
    }

    @Test func asManyAreLookedAtAsThereAreLanesAndTheirAnswersKeepTheOrder() async throws {
        let mailbox = LiveMailbox<String>(lanes: FrameLanes(count: 2))
        let (first, second) = (try await begin(mailbox), try await begin(mailbox))
        mailbox.offer(frame: [3])
        let third = Task { await mailbox.nextFrame() }
        let answer = Task { await mailbox.next() }
        try await eventually { mailbox.isAwaited }
        #expect(mailbox.hasFrame)
        // The second frame is finished before the first. Its answer waits, but its lane is free.
        mailbox.saw(.failure(Blind()), in: second)
        #expect(await third.value?.number == 3)
        mailbox.saw(.failure(Blind()), in: first)
        #expect(seen(await answer.value) == 1)
        #expect(seen(await mailbox.next()) == 2)
    }

    @Test func framesThatWaitToBeAnsweredAreBounded() async throws {
        let mailbox = LiveMailbox<String>(lanes: FrameLanes(count: 2))
        let first = try await begin(mailbox)
        for _ in 2...4 { mailbox.saw(.failure(Blind()), in: try await begin(mailbox)) }
        mailbox.offer(frame: [5])
        let fifth = Task { await mailbox.nextFrame() }
        try await eventually { mailbox.isAwaited }
        #expect(mailbox.hasFrame)
        mailbox.saw(.failure(Blind()), in: first)
        #expect(seen(await mailbox.next()) == 1)
        #expect(await fifth.value?.number == 5)
    }

    @Test func aFrameBeginsWhileTheOneBeforeIsAnswered() async throws {
        let mailbox = LiveMailbox<String>(lanes: FrameLanes(count: 1))
        mailbox.saw(.failure(Blind()), in: try await begin(mailbox))
        #expect(seen(await mailbox.next()) == 1)
        // The worker still processes the first frame.
        #expect(try await begin(mailbox).number == 2)
    }

    @Test func streamsShareTheLanes() async throws {
        let lanes = FrameLanes(count: 4)
        let (one, other) = (LiveMailbox<String>(lanes: lanes), LiveMailbox<String>(lanes: lanes))
        let first = try await begin(one)
        #expect(lanes.share == 4)
        let elsewhere = try await begin(other)
        #expect(lanes.share == 2)
        other.saw(.failure(Blind()), in: elsewhere)
        #expect(seen(await other.next()) == 1)
        // A stream without frames does not count for the shares.
        let idle = Task { await other.next() }
        while lanes.share == 2 { await Task.yield() }
        #expect(lanes.share == 4)
        other.close()
        #expect(await idle.value == nil)
        one.saw(.failure(Blind()), in: first)
        #expect(seen(await one.next()) == 1)
    }

    @Test func aCommandWaitsForTheFramesInWorkAndHoldsBackThoseAfterIt() async throws {
        let mailbox = LiveMailbox<String>(lanes: FrameLanes(count: 4))
        let first = try await begin(mailbox)
        #expect(mailbox.offer(command: "t"))
        mailbox.offer(frame: [2])
        let second = Task { await mailbox.nextFrame() }
        mailbox.saw(.failure(Blind()), in: first)
        #expect(seen(await mailbox.next()) == 1)
        guard case .command("t") = await mailbox.next() else {
            Issue.record("the command is next")
            return
        }
        try await eventually { mailbox.isAwaited }
        // The frame arrives while the command is carried out.
        #expect(mailbox.hasFrame)
        let answer = Task { await mailbox.next() }
        let frame = try #require(await second.value)
        mailbox.saw(.failure(Blind()), in: frame)
        #expect(seen(await answer.value) == 2)
    }

    @Test func whatIsThereWhenItClosesIsStillHandedOut() async throws {
        let mailbox = LiveMailbox<String>(lanes: FrameLanes(count: 2))
        let first = try await begin(mailbox)
        mailbox.offer(frame: [2])
        mailbox.close()
        #expect(mailbox.isClosed)
        let second = try #require(await mailbox.nextFrame())
        #expect(second.number == 2)
        #expect(await mailbox.nextFrame() == nil)
        #expect(!mailbox.offer(frame: [3]))
        let next = Task { await mailbox.next() }
        mailbox.saw(.failure(Blind()), in: first)
        #expect(seen(await next.value) == 1)
        mailbox.saw(.failure(Blind()), in: second)
        #expect(seen(await mailbox.next()) == 2)
        #expect(await mailbox.next() == nil)
    }

    @Test func whoIsCancelledWaitsForNothing() async throws {
        let mailbox = LiveMailbox<String>(lanes: FrameLanes(count: 1))
        _ = try await begin(mailbox)
        mailbox.offer(frame: [2])
        #expect(mailbox.offer(command: "t"))
        let next = Task { await mailbox.nextFrame() }
        next.cancel()
        #expect(await next.value == nil)
    }
}
