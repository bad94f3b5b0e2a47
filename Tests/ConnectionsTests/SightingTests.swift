import Base
import Foundation
import Recognition
import Storage
import TestSupport
import Testing

@testable import Connections

@Suite final class SightingTrackerTests {
    private var tracker = SightingTracker(camera: Fixture.camera())
    private let start = Date(timeIntervalSince1970: 1_800_000_000)

    private func update(_ animals: [SeenAnimal], at milliseconds: Double) -> SightingTracker.Change {
        tracker.update(
            animals, in: Fixture.picture(), atMilliseconds: milliseconds,
            date: start.addingTimeInterval(milliseconds / 1000))
    }

    @Test func aVisitIsAnnouncedOnceAndEndsOnce() throws {
        #expect(update([Fixture.animal(1)], at: 0).seen.count == 1)
        #expect(update([Fixture.animal(1)], at: 200).seen.isEmpty)
        #expect(update([], at: 4000).left.isEmpty)
        let left = update([], at: 5300).left
        #expect(left.count == 1)
        #expect(left[0].sighting.first == start)
        #expect(left[0].sighting.last == start.addingTimeInterval(0.2))
        #expect(update([], at: 9000).left.isEmpty)
    }

    @Test func itIsAnnouncedOnceItIsKnownOrAfterAWhile() {
        #expect(update([Fixture.animal(1, isKnown: false)], at: 0).seen.isEmpty)
        #expect(update([Fixture.animal(1, isKnown: false)], at: 1000).seen.isEmpty)
        #expect(update([Fixture.animal(1, isKnown: false)], at: 1600).seen.count == 1)
        #expect(update([Fixture.animal(2, label: "dog", isKnown: true)], at: 1800).seen.count == 1)
    }

    @Test func whatComesAgainSoonIsTheSameVisit() {
        _ = update([Fixture.animal(1)], at: 0)
        let change = update([Fixture.animal(7)], at: 3000)
        #expect(change.seen.isEmpty && tracker.visits.count == 1)
        #expect(update([], at: 8100).left.count == 1)
    }

    @Test func twoCatsAreTwoVisits() {
        #expect(update([Fixture.animal(1), Fixture.animal(2, x: 0.7)], at: 0).seen.count == 2)
        #expect(update([Fixture.animal(1), Fixture.animal(2, x: 0.7)], at: 200).seen.isEmpty)
    }

    @Test func theLikeliestNameWinsOverTheWholeVisit() {
        _ = update([Fixture.animal(1, individual: "Tipu")], at: 0)
        _ = update([Fixture.animal(1, individual: "Misu")], at: 200)
        _ = update([Fixture.animal(1, individual: "Misu")], at: 400)
        #expect(update([], at: 6000).left[0].sighting.individual?.label == "Misu")
    }

    @Test(arguments: [("cat", "siamese"), ("horse", nil)]) func aBreedOfAnotherKindOfAnimalIsForgotten(
        _ label: String, _ breed: String?
    ) {
        var cat = Fixture.animal(1)
        cat.breed = Sighting.Name(label: "siamese", confidence: 0.9)
        cat.agreed = AgreedAnswer(
            label: "cat", breeds: [Prediction(label: "siamese", confidence: 0.9)], isSureOfBreed: true, species: nil)
        _ = update([cat], at: 0)
        _ = update([Fixture.animal(1, label: label)], at: 200)
        let left = update([], at: 6000).left[0]
        #expect(left.sighting.label == label && left.sighting.breed?.label == breed)
        #expect(left.agreed?.predictions.first?.label == breed)
    }

    @Test func theEndOfTheCameraEndsAllVisits() {
        _ = update([Fixture.animal(1), Fixture.animal(2, label: "dog", isKnown: false)], at: 0)
        // The dog was never announced.
        #expect(tracker.end().map(\.sighting.label) == ["cat"])
        #expect(tracker.end().isEmpty)
    }

    @Test func aVisitOutlivesAShortLossOfTheCamera() {
        _ = update([Fixture.animal(1)], at: 0)
        #expect(tracker.disconnect(atMilliseconds: 9000).isEmpty)
        #expect(tracker.connect(atMilliseconds: 10_000).isEmpty)
        // The numbers of tracks have begun anew.
        let change = update([Fixture.animal(1, label: "dog"), Fixture.animal(2, x: 0.7)], at: 14_000)
        #expect(change.seen.map(\.sighting.label) == ["dog"] && change.left.isEmpty && tracker.visits.count == 2)
        #expect(tracker.disconnect(atMilliseconds: 33_900).isEmpty)
        #expect(tracker.disconnect(atMilliseconds: 34_100).count == 2)
    }

    @Test func whoeverIsGoneAfterAnInterruptionHasLeft() {
        _ = update([Fixture.animal(1)], at: 0)
        _ = tracker.disconnect(atMilliseconds: 1000)
        _ = tracker.connect(atMilliseconds: 10_000)
        #expect(update([], at: 14_900).left.isEmpty)
        #expect(update([], at: 15_100).left.map(\.sighting.last) == [start])
        // A camera that comes and goes keeps nobody.
        _ = update([Fixture.animal(1)], at: 20_000)
        for round in 1...5 {
            let now = 20_000 + Double(round) * 4000
            #expect((tracker.disconnect(atMilliseconds: now) + tracker.connect(atMilliseconds: now)).isEmpty)
        }
        #expect(tracker.connect(atMilliseconds: 41_000).count == 1)
    }

    @Test func aHerdIsBounded() {
        _ = update((1...100).map { Fixture.animal($0) }, at: 0)
        #expect(tracker.visits.count == 32)
    }
}

@Suite struct SightingTallyTests {
    private var calendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: "Europe/Helsinki") ?? .gmt
        return calendar
    }

    @Test func theFirstOfTheDayAndEver() {
        var tally = SightingTally()
        func count(_ sighting: Sighting) -> Sighting {
            var sighting = sighting
            tally.count(&sighting, calendar: calendar)
            return sighting
        }
        let day = Date(timeIntervalSince1970: 1_800_000_000)
        let first = count(Fixture.sighting(at: day))
        #expect(first.isFirstEver && first.isFirstToday && first.countToday == 1)
        let second = count(Fixture.sighting(at: day.addingTimeInterval(60)))
        #expect(!second.isFirstEver && !second.isFirstToday && second.countToday == 2)
        let stranger = count(Fixture.sighting(individual: nil, at: day.addingTimeInterval(70)))
        #expect(stranger.isFirstEver && stranger.countToday == 1)
        let next = count(Fixture.sighting(at: day.addingTimeInterval(86_400)))
        #expect(!next.isFirstEver && next.isFirstToday && next.countToday == 1)
    }

    /// A cat comes, and is known to be Misu when she leaves. Misu comes again, and then another cat of the same breed.
    @Test func aVisitCountsForItsLastNameOnly() {
        var tally = SightingTally()
        let cat = Fixture.sighting(individual: nil)
        var (before, misu) = (cat, Fixture.sighting())
        tally.count(&before, calendar: calendar)
        tally.count(&misu, insteadOf: before, calendar: calendar)
        #expect(misu.isFirstEver && misu.isFirstToday && misu.countToday == 1)
        var (again, other) = (Fixture.sighting(), cat)
        tally.count(&again, calendar: calendar)
        #expect(!again.isFirstEver && !again.isFirstToday && again.countToday == 2)
        tally.count(&other, calendar: calendar)
        #expect(other.isFirstEver && other.isFirstToday && other.countToday == 1)
        var (third, known) = (cat, Fixture.sighting())
        tally.count(&third, calendar: calendar)
        tally.count(&known, insteadOf: third, calendar: calendar)
        #expect(known.countToday == 3)
        tally.count(&third, calendar: calendar)
        #expect(!third.isFirstToday && third.countToday == 2)
    }
}

@Suite struct SightingStoreTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func store(age: Double? = nil, bytes: Int? = nil) -> SightingStore {
        SightingStore(directory: folder.path + "/s", retention: .init(maximumAge: age, maximumBytes: bytes))
    }

    @Test func sightingsOutliveTheService() throws {
        let first = store()
        var sighting = Fixture.sighting(id: "01A")
        try first.count(&sighting)
        try first.keep(sighting, picture: [1, 2, 3])
        let second = store()
        #expect(second.newest(of: "porch", before: nil, limit: 9) == [sighting])
        #expect(second.picture(of: "porch", "01A") == [1, 2, 3])
        var again = Fixture.sighting(id: "01B")
        try second.count(&again)
        #expect(!again.isFirstEver && again.countToday == 2)
    }

    @Test func whatAKilledProcessBeganIsRemoved() throws {
        try store().keep(Fixture.sighting(id: "01A"), picture: [1])
        for file in ["01B.jpg", "01C.jpg.A1.partial", "tally.json.A1.partial"] { try folder.write([1], "s/\(file)") }
        #expect(store().picture(of: "porch", "01A") == [1])
        #expect(FileSystem.names(in: folder.path + "/s").sorted() == ["01A.jpg", "01A.json"])
    }

    @Test func sightingsCountedAtATimeAreAllKept() throws {
        for round in 1...10 {
            let store = store()
            DispatchQueue.concurrentPerform(iterations: 8) { number in
                var sighting = Fixture.sighting(id: "\(number)")
                try? store.count(&sighting)
            }
            var next = Fixture.sighting(id: "9")
            try self.store().count(&next)
            #expect(next.countToday == round * 9)
        }
    }

    @Test func picturesOfOtherCamerasAndFilesAreNotShown() throws {
        let store = store()
        try store.keep(Fixture.sighting(id: "01A"), picture: [1])
        #expect(store.picture(of: "garden", "01A") == nil)
        #expect(store.picture(of: "porch", "../cameras") == nil)
    }

    @Test func theOldestGoFirst() throws {
        let store = store(bytes: 25)
        for id in ["01A", "01B", "01C"] {
            try store.keep(Fixture.sighting(id: id), picture: [UInt8](repeating: 0, count: 10))
        }
        #expect(store.newest(of: "porch", before: nil, limit: 9).map(\.id) == ["01C", "01B"])
        #expect(store.newest(of: "porch", before: "01C", limit: 9).map(\.id) == ["01B"])
        #expect(FileSystem.names(in: folder.path + "/s").count == 4)
    }

    @Test func whatIsTooOldGoes() throws {
        let store = store(age: 3600)
        let sighting = Fixture.sighting(id: "01A", at: Date())
        try store.keep(sighting, picture: [1])
        #expect(store.count(of: "porch") == 1)
        store.sweep(now: sighting.last.addingTimeInterval(3601))
        #expect(store.count(of: "porch") == 0)
    }

    @Test func aClockThatIsYearsAheadRemovesNothing() throws {
        let month = 30.0 * 86_400
        let past = Date(timeIntervalSinceNow: -5 * 365 * 86_400)
        try store().keep(Fixture.sighting(id: "01A", at: past), picture: [1])
        // The clock is years ahead from the start of the service on.
        let store = store(age: month)
        try store.keep(Fixture.sighting(id: "01B", at: Date()), picture: [1])
        store.sweep()
        #expect(store.count(of: "porch") == 2)
        store.clockDoubt.since.withLock { $0 = .now - .seconds(90_000) }
        store.sweep()
        #expect(store.newest(of: "porch", before: nil, limit: 9).map(\.id) == ["01B"])
    }

    @Test func damagedFilesAreLeftOut() throws {
        try folder.write(Array("{".utf8), "s/01A.json")
        try folder.write(Array("[]".utf8), "s/tally.json")
        #expect(store().newest(of: "porch", before: nil, limit: 9).isEmpty)
    }
}
