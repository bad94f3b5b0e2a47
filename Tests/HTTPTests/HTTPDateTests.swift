@testable import HTTP
import Testing

@Suite("HTTP date")
struct HTTPDateTests {
    static let example = 784_111_777
    static let now = HTTPDate(secondsSinceEpoch: 1_790_000_000)  // 2026

    @Test(
        "reads the three forms of RFC 9110 §5.6.7",
        arguments: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"])
    func forms(text: String) {
        #expect(HTTPDate(text, now: Self.now)?.secondsSinceEpoch == Self.example)
    }

    @Test(
        "writes the fixed form",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"),
            (1_709_251_200, "Fri, 01 Mar 2024 00:00:00 GMT"), (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ])
    func writing(seconds: Int, text: String) {
        #expect(HTTPDate(secondsSinceEpoch: seconds).description == text)
        #expect(HTTPDate(text)?.secondsSinceEpoch == seconds)
    }

    @Test("reads its own output, on every day of a cycle of 400 years")
    func roundTrip() {
        var failures = 0
        for day in stride(from: -60_000, to: 100_000, by: 37) {
            let date = HTTPDate(secondsSinceEpoch: day * 86_400 + 1)
            if HTTPDate(date.description) != date { failures += 1 }
        }
        #expect(failures == 0)
    }

    @Test("takes a two-digit year more than 50 years ahead for the past")
    func century() {
        #expect(HTTPDate("Friday, 01-Jan-76 00:00:00 GMT", now: Self.now)?.description.contains("2076") == true)
        #expect(HTTPDate("Friday, 01-Jan-77 00:00:00 GMT", now: Self.now)?.description.contains("1977") == true)
        #expect(HTTPDate("Friday, 01-Jan-26 00:00:00 GMT", now: Self.now)?.description.contains("2026") == true)
    }

    @Test(
        "refuses what is no date",
        arguments: [
            "", "Sun", "0", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT ", "sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
            "Sun, 31 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Wed, 29 Feb 2023 00:00:00 GMT",
            "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
            "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994",
            "Sun Nov  6 08:49:37 94", "1994-11-06T08:49:37Z", "Sun, 06 Nov -994 08:49:37 GMT", ", ", "Sunday,",
        ])
    func malformed(text: String) {
        #expect(HTTPDate(text, now: Self.now) == nil)
    }
}
