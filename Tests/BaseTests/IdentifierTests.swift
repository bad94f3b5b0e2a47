import Foundation
import Testing

@testable import Base

@Suite("Identifiers, times, digests") struct IdentifierTests {
    @Test func identifiersOfOneProcessIncreaseAlsoAcrossThreads() async {
        let ids = (0..<10_000).map { _ in ULID.next() }
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 })
        #expect(zip(ids, ids.dropFirst()).allSatisfy { $0.description < $1.description })
        let concurrent = await withTaskGroup(of: [ULID].self) { group in
            for _ in 0..<8 { group.addTask { (0..<1_000).map { _ in .next() } } }
            return await group.reduce(into: Set<ULID>()) { $0.formUnion($1) }
        }
        #expect(concurrent.count == 8_000)
    }

    @Test(arguments: [(1_001, true), (1_000, false), (0, false), (-1, true)])
    func identifiersFollowAClockThatWasSetBackFar(milliseconds: Int64, follows: Bool) {
        let before = ULID(date: Date(milliseconds: 1_700_000_000_000)).bits
        let now = Date(milliseconds: 1_700_000_000_000 - milliseconds)
        let next = ULID.next(after: before, at: now)
        #expect(follows ? ULID(bits: next).date == now : next == before + 1)
    }

    @Test func anIdentifierCarriesItsTime() {
        let date = Date(milliseconds: 1_700_000_000_123)
        #expect(ULID(date: date).date == date)
        #expect(ULID(lowestAt: date) <= ULID(date: date))
        #expect(ULID(date: date) < ULID(lowestAt: Date(milliseconds: 1_700_000_000_124)))
    }

    /// The example of the specification writes this time as `01ARYZ6S41`.
    @Test func theTextIsThatOfTheSpecification() throws {
        let id = ULID(date: Date(milliseconds: 1_469_918_176_385))
        #expect(id.description.hasPrefix("01ARYZ6S41"))
        #expect(id.description.utf8.count == 26)
        #expect(ULID(id.description) == id)
        #expect(ULID(id.description.lowercased()) == id)
        #expect(ULID("7ZZZZZZZZZZZZZZZZZZZZZZZZZ")?.bits == .max)
    }

    @Test(arguments: [
        "", "01ARYZ6S41", "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "01ARYZ6S41TSV4RRFFQ69G5FAU", "01ARYZ6S41TSV4RRFFQ69G5FA/",
        "01ARYZ6S41TSV4RRFFQ69G5FAVX",
    ])
    func whatIsNoIdentifierIsRefused(text: String) {
        #expect(ULID(text) == nil)
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_709_164_799_999, "2024-02-28T23:59:59.999Z"),
            (1_709_164_800_001, "2024-02-29T00:00:00.001Z"), (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func timesAreWrittenAndReadToTheMillisecond(milliseconds: Int64, text: String) {
        #expect(Date(milliseconds: milliseconds).rfc3339 == text)
        #expect(Date(rfc3339: text)?.milliseconds == milliseconds)
    }

    @Test func everyMillisecondComesBack() {
        for milliseconds in Int64(1_795_265_960_000)..<1_795_265_962_000 {
            #expect(Date(rfc3339: Date(milliseconds: milliseconds).rfc3339)?.milliseconds == milliseconds)
        }
    }

    @Test(
        arguments: [
            ("2024-02-29T02:00:00+02:00", 1_709_164_800_000), ("2024-02-28T22:30:00.5-01:30", 1_709_164_800_500),
            ("2024-02-29T00:00:00.123999Z", 1_709_164_800_123), ("2016-12-31T23:59:60Z", 1_483_228_800_000),
        ] as [(String, Int64)])
    func offsetsAndFractionsAreUnderstood(text: String, milliseconds: Int64) {
        #expect(Date(rfc3339: text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        "", "now", "2024-02-30T00:00:00Z", "2023-02-29T00:00:00Z", "2024-13-01T00:00:00Z", "2024-00-01T00:00:00Z",
        "2024-01-01", "2024-01-01T24:00:00Z", "2024-01-01T00:60:00Z", "2024-01-01T00:00:00",
        "2024-01-01T00:00:00+24:00",
        "2024-01-01T00:00:00Z ", "٢٠٢٤-01-01T00:00:00Z",
    ])
    func whatIsNoTimeIsRefused(text: String) {
        #expect(Date(rfc3339: text) == nil)
    }

    /// The empty message and `abc`, from FIPS 180-4's examples.
    @Test func digestsAreSHA256() {
        #expect(
            ContentDigest(of: []).hexadecimal == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(
            ContentDigest(of: Array("abc".utf8)).hexadecimal
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(ContentDigest("../../etc/passwd") == nil)
        #expect(ContentDigest(String(repeating: "g", count: 64)) == nil)
        #expect(ContentDigest(String(repeating: "A", count: 64))?.hexadecimal == String(repeating: "a", count: 64))
    }
}
