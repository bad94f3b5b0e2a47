import Testing

@testable import Video

@Suite struct PacketDozeTests {
    /// A camera with ten pictures per second. One picture in twenty depends on no other.
    private func steps(
        _ packets: Range<Int>, in doze: inout PacketDoze, bytes: (Int) -> Int = { _ in 500 }
    ) -> [PacketDoze.Step] {
        packets.map { index in
            let isKey = index.isMultiple(of: 20)
            return doze.step(.init(bytes: isKey ? 9000 : bytes(index), isKey: isKey, time: Double(index) / 10))
        }
    }

    private func still() -> PacketDoze {
        var doze = PacketDoze(looksPerSecond: 5, isIntraOnly: false)
        let found1 = steps(0..<20, in: &doze)
        #expect(found1.allSatisfy { $0 == .decode })
        doze.isStill = true
        return doze
    }

    @Test func whileNothingMovesOnlyKeysAreDecoded() {
        var doze = still()
        let found2 = steps(20..<60, in: &doze)
        #expect(found2.filter { $0 != .keep } == [.glance, .glance])
    }

    @Test func aPacketThatGrowsWakesAtOnce() {
        var doze = still()
        let found = steps(20..<50, in: &doze) { $0 == 33 ? 3000 : 500 }
        #expect(found[12...14] == [.keep, .wake, .decode])
        // Where nothing was seen, it rests again at the next such picture, a second later.
        #expect(found[20] == .decode)
        let found3 = steps(50..<62, in: &doze)
        #expect(found3[10...11] == [.glance, .keep])
    }

    @Test func wherePacketsAreLargeAnywayAllIsDecoded() {
        var doze = still()
        let steps = steps(0..<100, in: &doze) { _ in 2000 }
        #expect(steps[40...].allSatisfy { $0 == .decode })
    }

    @Test func aMovementSeenAtAGlanceWakes() {
        var doze = still()
        _ = steps(20..<21, in: &doze)
        doze.isStill = false
        let found4 = steps(21..<23, in: &doze)
        #expect(found4 == [.wake, .decode])
    }

    @Test func whereKeysAreRareAllIsDecoded() {
        var doze = still()
        _ = steps(20..<21, in: &doze)
        let found = (21..<60).map { doze.step(.init(bytes: 500, isKey: false, time: Double($0) / 10)) }
        #expect(found.firstIndex(of: .wake) == 25)
        #expect(found[26...].allSatisfy { $0 == .decode })
    }

    @Test func whatIsKeptHasALimit() {
        var doze = PacketDoze(looksPerSecond: 5, isIntraOnly: false)
        doze.isStill = true
        for index in 0..<40 { _ = doze.step(.init(bytes: 100_000, isKey: false, time: Double(index) / 1000)) }
        let key = doze.step(.init(bytes: 900_000, isKey: true, time: 1))
        #expect(key == .glance)
        let found = (0..<40).map { doze.step(.init(bytes: 100_000, isKey: false, time: 1 + Double($0) / 1000)) }
        #expect(found.firstIndex(of: .wake) == 32, "\(found)")
    }

    @Test func picturesThatNeedNoOtherAreGlancedAtTwiceASecond() {
        var doze = PacketDoze(looksPerSecond: 5, isIntraOnly: true)
        doze.isStill = true
        let found = (0..<40).map { doze.step(.init(bytes: 90_000, isKey: true, time: Double($0) / 20)) }
        #expect(found.filter { $0 == .glance }.count == 5, "\(found)")
        #expect(found.allSatisfy { $0 == .glance || $0 == .restart })
        doze.isStill = false
        let awake = (40..<60).map { doze.step(.init(bytes: 90_000, isKey: true, time: Double($0) / 20)) }
        #expect(awake.filter { $0 == .decode }.count == 5, "\(awake)")
    }

    @Test func aClockThatIsSetBackEndsNothing() {
        var doze = still()
        _ = steps(100..<101, in: &doze)
        let found5 = steps(20..<61, in: &doze)
        #expect(found5.filter { $0 == .glance }.count == 3)
    }
}
