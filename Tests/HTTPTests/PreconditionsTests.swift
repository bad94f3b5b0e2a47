@testable import HTTP
import Testing

@Suite("Entity tag")
struct EntityTagTests {
    @Test("compares as the table of RFC 9110 §8.8.3.2")
    func comparison() {
        let rows: [(String, String, strong: Bool, weak: Bool)] = [
            ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false),
            ("W/\"1\"", "\"1\"", false, true), ("\"1\"", "\"1\"", true, true),
        ]
        for row in rows {
            guard let left = EntityTag(parsing: row.0), let right = EntityTag(parsing: row.1) else {
                Issue.record("not read: \(row)")
                continue
            }
            #expect(left.stronglyMatches(right) == row.strong && right.stronglyMatches(left) == row.strong)
            #expect(left.weaklyMatches(right) == row.weak && right.weaklyMatches(left) == row.weak)
            #expect(left.description == row.0)
        }
    }

    @Test(
        "refuses what is no tag",
        arguments: ["", "a", "\"", "\"a", "w/\"a\"", "W/a", "\"a\"b", "\"a b\"", "W/", "W/\""])
    func malformed(text: String) {
        #expect(EntityTag(parsing: text) == nil)
    }

    @Test("reads lists, with commas inside quotes")
    func lists() {
        let headers: HeaderFields = ["If-Match": "\"a,b\" ,, W/\"c\",\"\"", "if-match": "\"d\""]
        #expect(
            EntityTagList("If-Match", in: headers)
                == .tags([EntityTag("a,b"), EntityTag("c", isWeak: true), EntityTag(""), EntityTag("d")]))
        #expect(EntityTagList("If-Match", in: ["If-Match": "*"]) == .any)
        #expect(EntityTagList("If-Match", in: [:]) == nil)
        #expect(EntityTagList("If-Match", in: ["If-Match": "\"a\" \"b\""]) == .tags([EntityTag("a")]))
        #expect(EntityTagList("If-Match", in: ["If-Match": "x, \"b\""]) == .tags([]))
    }
}

@Suite("Preconditions")
struct PreconditionsTests {
    static let date = HTTPDate(secondsSinceEpoch: 784_111_777)
    static let same = "Sun, 06 Nov 1994 08:49:37 GMT"
    static let before = "Sun, 06 Nov 1994 08:49:36 GMT"
    static let after = "Sun, 06 Nov 1994 08:49:38 GMT"
    static let strong = Validators(entityTag: EntityTag("a"), lastModified: date)
    static let weak = Validators(entityTag: EntityTag("a", isWeak: true), lastModified: date)

    static func outcome(
        _ method: Method, _ headers: HeaderFields, _ validators: Validators? = strong
    ) -> Preconditions.Outcome {
        Preconditions.evaluate(method: method, headers: headers, validators: validators)
    }

    @Test("If-Match compares strongly")
    func ifMatch() {
        #expect(Self.outcome(.put, ["If-Match": "\"a\""]) == .proceed)
        #expect(Self.outcome(.put, ["If-Match": "\"x\", \"a\""]) == .proceed)
        #expect(Self.outcome(.get, ["If-Match": "\"x\""]) == .failed)
        #expect(Self.outcome(.put, ["If-Match": "W/\"a\""]) == .failed)
        #expect(Self.outcome(.put, ["If-Match": "W/\"a\""], Self.weak) == .failed)
        #expect(Self.outcome(.put, ["If-Match": "*"]) == .proceed)
        #expect(Self.outcome(.put, ["If-Match": "*"], nil) == .failed)
        #expect(Self.outcome(.put, ["If-Match": "\"a\""], Validators()) == .failed)
        #expect(Self.outcome(.put, ["If-Match": "rubbish"]) == .failed)
    }

    @Test("If-Unmodified-Since counts only without If-Match and with a date")
    func ifUnmodifiedSince() {
        #expect(Self.outcome(.put, ["If-Unmodified-Since": Self.same]) == .proceed)
        #expect(Self.outcome(.put, ["If-Unmodified-Since": Self.after]) == .proceed)
        #expect(Self.outcome(.put, ["If-Unmodified-Since": Self.before]) == .failed)
        #expect(Self.outcome(.put, ["If-Unmodified-Since": Self.before, "If-Match": "\"a\""]) == .proceed)
        #expect(Self.outcome(.put, ["If-Unmodified-Since": "rubbish"]) == .proceed)
        #expect(Self.outcome(.put, ["If-Unmodified-Since": Self.before], Validators()) == .proceed)
        let twice: HeaderFields = ["If-Unmodified-Since": Self.before, "if-unmodified-since": Self.before]
        #expect(Self.outcome(.put, twice) == .proceed)
    }

    @Test("If-None-Match compares weakly: 304 to reads, 412 to others")
    func ifNoneMatch() {
        #expect(Self.outcome(.get, ["If-None-Match": "\"a\""]) == .notModified)
        #expect(Self.outcome(.head, ["If-None-Match": "\"x\", W/\"a\""]) == .notModified)
        #expect(Self.outcome(.get, ["If-None-Match": "\"a\""], Self.weak) == .notModified)
        #expect(Self.outcome(.put, ["If-None-Match": "\"a\""]) == .failed)
        #expect(Self.outcome(.get, ["If-None-Match": "\"x\""]) == .proceed)
        #expect(Self.outcome(.get, ["If-None-Match": "*"]) == .notModified)
        #expect(Self.outcome(.put, ["If-None-Match": "*"]) == .failed)
        #expect(Self.outcome(.put, ["If-None-Match": "*"], nil) == .proceed)
        #expect(Self.outcome(.get, ["If-None-Match": "a"]) == .proceed)
    }

    @Test("If-Modified-Since counts only for reads without If-None-Match")
    func ifModifiedSince() {
        #expect(Self.outcome(.get, ["If-Modified-Since": Self.same]) == .notModified)
        #expect(Self.outcome(.head, ["If-Modified-Since": Self.after]) == .notModified)
        #expect(Self.outcome(.get, ["If-Modified-Since": Self.before]) == .proceed)
        #expect(Self.outcome(.post, ["If-Modified-Since": Self.after]) == .proceed)
        #expect(Self.outcome(.get, ["If-Modified-Since": Self.after, "If-None-Match": "\"x\""]) == .proceed)
        #expect(Self.outcome(.get, ["If-Modified-Since": "rubbish"]) == .proceed)
        #expect(Self.outcome(.get, ["If-Modified-Since": Self.after], nil) == .proceed)
    }

    @Test("what protects a write comes before what saves a transfer")
    func precedence() {
        #expect(Self.outcome(.get, ["If-Match": "\"x\"", "If-None-Match": "\"a\""]) == .failed)
        #expect(Self.outcome(.get, ["If-Match": "\"a\"", "If-None-Match": "\"a\""]) == .notModified)
        #expect(Self.outcome(.get, ["If-Unmodified-Since": Self.before, "If-None-Match": "\"a\""]) == .failed)
        #expect(Self.outcome(.get, ["If-Unmodified-Since": Self.same, "If-Modified-Since": Self.same]) == .notModified)
        #expect(Self.outcome(.get, [:]) == .proceed)
    }

    @Test("If-Range holds only for a strong validator that is current")
    func ifRange() {
        let later = HTTPDate(secondsSinceEpoch: Self.date.secondsSinceEpoch + 60)
        func honours(_ value: String, _ validators: Validators = Self.strong, now: HTTPDate = later) -> Bool {
            Preconditions.honoursRange(headers: ["If-Range": value], validators: validators, now: now)
        }
        #expect(Preconditions.honoursRange(headers: [:], validators: Validators(), now: later))
        #expect(honours("\"a\""))
        #expect(!honours("\"b\""))
        #expect(!honours("W/\"a\""))
        #expect(!honours("W/\"a\"", Self.weak))
        #expect(!honours("\"a\"", Self.weak))
        #expect(!honours("*"))
        #expect(honours(Self.same))
        #expect(!honours(Self.after))
        #expect(!honours(Self.before))
        #expect(!honours(Self.same, now: Self.date))
        #expect(!honours(Self.same, Validators()))
    }
}
