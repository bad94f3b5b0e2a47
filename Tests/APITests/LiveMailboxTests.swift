import Testing

@testable import API

@Suite("What waits in a stream") struct LiveMailboxTests {
    private struct Blind: Error {}

    private func frame(_ work: LiveMailbox.Work?) -> Int? {
        if case .frame(let frame) = work { frame.number } else { nil }
    }

    private func seen(_ work: LiveMailbox.Work?) -> Int? {
        if case .seen(let frame, _) = work { frame.number } else { nil }
    }

    /// Offers a frame and takes it.
    private func begin(_ mailbox: LiveMailbox) async throws -> LiveFrame {
        mailbox.offer(frame: [1])
        guard case .frame(let frame) = await mailbox.next() else { throw Blind() }
        return frame
    }

    @Test func newerFramesReplaceTheOneThatWaits() async throws {
        let mailbox = LiveMailbox(lanes: FrameLanes(count: 1))
        let first = try await begin(mailbox)
        #expect(!mailbox.offer(frame: [2]))
        #expect(mailbox.offer(frame: [3]) && mailbox.offer(frame: [4]))
        mailbox.saw(.failure(Blind()), in: first)
        #expect(seen(await mailbox.next()) == 1)
        #expect(frame(await mailbox.next()) == 4)
        #expect(mailbox.dropped == 2)
    }

    @Test func asManyAreInWorkAsThereAreLanesAndTheirAnswersKeepTheOrder() async throws {
        let mailbox = LiveMailbox(lanes: FrameLanes(count: 2))
        let (first, second) = (try await begin(mailbox), try await begin(mailbox))
        mailbox.offer(frame: [3])
        // The second one is through before the first: nothing comes of it yet, and no third one begins.
        let next = Task { await mailbox.next() }
        mailbox.saw(.failure(Blind()), in: second)
        #expect(mailbox.hasFrame)
        mailbox.saw(.failure(Blind()), in: first)
        #expect(seen(await next.value) == 1)
        #expect(seen(await mailbox.next()) == 2)
        #expect(frame(await mailbox.next()) == 3)
    }

    @Test func streamsShareTheLanes() async throws {
        let lanes = FrameLanes(count: 4)
        let (one, other) = (LiveMailbox(lanes: lanes), LiveMailbox(lanes: lanes))
        let first = try await begin(one)
        #expect(lanes.share == 4)
        let elsewhere = try await begin(other)
        #expect(lanes.share == 2)
        other.saw(.failure(Blind()), in: elsewhere)
        #expect(seen(await other.next()) == 1)
        // A stream that waits for frames takes no part.
        let idle = Task { await other.next() }
        while lanes.share == 2 { await Task.yield() }
        #expect(lanes.share == 4)
        other.close()
        #expect(await idle.value == nil)
        one.saw(.failure(Blind()), in: first)
        #expect(seen(await one.next()) == 1)
    }

    @Test func aCommandWaitsForTheFramesInWorkAndHoldsBackThoseAfterIt() async throws {
        let mailbox = LiveMailbox(lanes: FrameLanes(count: 4))
        let first = try await begin(mailbox)
        #expect(mailbox.offer(command: .untap("t")))
        mailbox.offer(frame: [2])
        mailbox.saw(.failure(Blind()), in: first)
        #expect(seen(await mailbox.next()) == 1)
        guard case .command(.untap("t")) = await mailbox.next() else {
            Issue.record("the command is next")
            return
        }
        #expect(frame(await mailbox.next()) == 2)
    }

    @Test func whatIsInWorkWhenItClosesIsStillHandedOut() async throws {
        let mailbox = LiveMailbox(lanes: FrameLanes(count: 2))
        let first = try await begin(mailbox)
        mailbox.offer(frame: [2])
        mailbox.close()
        #expect(mailbox.isDraining)
        #expect(frame(await mailbox.next()) == 2)
        #expect(!mailbox.offer(frame: [3]))
        let next = Task { await mailbox.next() }
        mailbox.saw(.failure(Blind()), in: first)
        #expect(seen(await next.value) == 1)
    }
}
