import Base
import Foundation
import TestSupport
import Testing

@testable import Connections

@Suite struct WebhookFileTests {
    private func read(_ text: String) throws -> [Webhook] { try WebhookFile.read(Array(text.utf8)) }

    @Test func aListWithComments() throws {
        let hooks = try read(
            #"""
            [ // Anna's phone
              {"name":"phone","url":"https://ntfy.sh/abc","form":"ntfy","individuals":["Misu"],"quiet":{"from":"22:00","to":"07:00"}} ]
            """#)
        #expect(hooks.count == 1 && hooks[0].form == .ntfy && hooks[0].individuals == ["Misu"])
    }

    @Test(arguments: [("{}", "it is not a list of webhooks"), ("[{", "it is not JSON"), ("", "it is not JSON")])
    func whatIsNoListIsCalledThat(text: String, description: String) throws {
        let problem = try #require(throws: WebhookFile.Problem.self) { try read(text) }
        #expect(problem.description == description)
    }

    @Test(arguments: [
        "{}", "[{}]", #"[{"name":"a b","url":"http://x"}]"#, #"[{"name":"../a","url":"http://x"}]"#,
        #"[{"name":"a","url":"ftp://x"}]"#, #"[{"name":"a","url":"http://u:geheim@x"}]"#,
        #"[{"name":"a","url":"http://x","form":"xml"}]"#, #"[{"name":"a","url":"http://x","label":["cat"]}]"#,
        #"[{"name":"a","url":"http://x"},{"name":"a","url":"http://y"}]"#,
        #"[{"name":"a","url":"http://x","quiet":{"from":"25:00","to":"1"}}]"#,
        #"[{"name":"a","url":"http://x","secret":""}]"#, #"[{"name":"a","url":"http://x","token":""}]"#,
        #"[{"name":"a","url":"http://x","events":[]}]"#, #"[{"name":"a","url":"http://x","individuals":[]}]"#,
        #"[{"name":"a","url":"http://x","least_confidence":2}]"#, #"[{"name":"a","url":"http://x","events":["came"]}]"#,
    ])
    func whatIsWrongIsToldWithoutSecrets(text: String) throws {
        let problem = try #require(throws: WebhookFile.Problem.self) { try read(text) }
        #expect(!problem.description.isEmpty && !problem.description.contains("geheim"))
    }

    private func hook(_ members: String) throws -> Webhook {
        try #require(try read("[{\"name\":\"a\",\"url\":\"http://x\"\(members)}]").first)
    }

    @Test(arguments: [
        ("", true), (#","individuals":["misu"]"#, true), (#","individuals":["Tipu"]"#, false),
        (#","labels":["siamese"]"#, true), (#","labels":["cat"]"#, true), (#","labels":["dog"]"#, false),
        (#","cameras":["porch"]"#, true), (#","cameras":["garden"]"#, false), (#","least_confidence":0.8"#, false),
        (#","least_confidence":0.7"#, true), (#","events":["left"]"#, false),
    ])
    func filters(members: String, wants: Bool) throws {
        #expect(try hook(members).wants(SightingEvent(kind: .seen, sighting: Fixture.sighting(), picture: [])) == wants)
    }

    @Test(arguments: [
        ("22:00", "07:00", 23, true), ("22:00", "07:00", 6, true), ("22:00", "07:00", 12, false),
        ("12:00", "14:00", 13, true), ("12:00", "14:00", 14, false),
    ])
    func quietHours(from: String, to: String, hour: Int, isQuiet: Bool) throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let hook = try hook(",\"quiet\":{\"from\":\"\(from)\",\"to\":\"\(to)\"}")
        let midnight = Date(timeIntervalSince1970: 1_800_057_600)
        let event = SightingEvent(
            kind: .seen, sighting: Fixture.sighting(at: midnight.addingTimeInterval(Double(hour) * 3600)), picture: [])
        #expect(hook.wants(event, calendar: calendar) != isQuiet)
    }

    @Test func theSignatureIsOneThatOthersCanCheck() {
        // printf '1800000000.{"a":1}' | openssl dgst -sha256 -hmac geheim
        #expect(
            WebhookRequest.signature(secret: "geheim", time: "1800000000", body: Array(#"{"a":1}"#.utf8))
                == "448dfe42bb44eaf2b06fa98fddf31c823fffcb38618a86370750ed263c8d39d8")
    }

    @Test func ntfyGetsAPictureAndATextInItsHeaders() throws {
        let request = WebhookRequest(
            SightingEvent(kind: .seen, sighting: Fixture.sighting(individual: "Myyrä"), picture: [0xFF, 0xD8]),
            for: try hook(#","form":"ntfy""#),
            address: "http://zoo:8080")
        #expect(Array(request.body) == [0xFF, 0xD8])
        #expect(request.headers["Title"]?.hasPrefix("=?UTF-8?B?") == true)
        #expect(request.headers["Click"] == "http://zoo:8080/cameras/porch/sightings/01J/picture")
        #expect(!request.headers.values.joined().contains("\n"))
    }
}

/// The variable belongs to the whole process, so one test at a time sets it.
@Suite(.serialized) struct TimeZoneTests {
    @Test(arguments: [
        ("Europe/Helsinki", "02:00"), (":Europe/Helsinki", "02:00"), ("EET-2EEST,M3.5.0/3,M10.5.0/4", "02:00"),
        ("/usr/share/zoneinfo/America/New_York", "19:00"), ("UTC-3", "03:00"), ("<+0530>-5:30", "05:30"),
    ])
    func quietHoursAreThoseOfTheMachinesClock(zone: String, time: String) throws {
        let reset = set(zone)
        defer { reset() }
        let midnight = Date(timeIntervalSince1970: 1_800_057_600)
        let quiet = #"{"from":"\#(time)","to":"\#(time.dropLast())1"}"#
        let hooks = try WebhookFile.read(Array(#"[{"name":"a","url":"http://x","quiet":\#(quiet)}]"#.utf8))
        func wants(_ date: Date) -> Bool {
            hooks[0].wants(SightingEvent(kind: .seen, sighting: Fixture.sighting(at: date), picture: []))
        }
        #expect(!wants(midnight) && wants(midnight.addingTimeInterval(60)))
        #expect(wants(midnight.addingTimeInterval(-60)))
    }

    /// In Helsinki, the last Sunday of March has 23 hours, and that of October 25.
    @Test(arguments: [("2026-03-28T22:00:00Z", 23), ("2026-10-24T21:00:00Z", 25)])
    func aDayOnWhichTheClocksChangeIsOneDay(midnight: String, hours: Double) throws {
        let reset = set("Europe/Helsinki")
        defer { reset() }
        let midnight = try #require(Date(rfc3339: midnight))
        var tally = SightingTally()
        let counts = [-1, 0, hours * 3600 - 1, hours * 3600].map { seconds in
            var sighting = Fixture.sighting(at: midnight.addingTimeInterval(seconds))
            tally.count(&sighting)
            return sighting.countToday
        }
        #expect(counts == [1, 1, 2, 1])
    }

    /// - Returns: what sets the earlier zone again.
    private func set(_ zone: String) -> () -> Void {
        let before = getenv("TZ").map { String(cString: $0) }
        setenv("TZ", zone, 1)
        return {
            if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
            tzset()
        }
    }
}
