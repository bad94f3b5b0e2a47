import Base
import Foundation
import Logging
import Telemetry
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
        let before = getenv("TZ").map { String(cString: $0) }
        setenv("TZ", zone, 1)
        defer {
            if let before { setenv("TZ", before, 1) } else { unsetenv("TZ") }
            tzset()
        }
        let midnight = Date(timeIntervalSince1970: 1_800_057_600)
        let quiet = #"{"from":"\#(time)","to":"\#(time.dropLast())1"}"#
        let hooks = try WebhookFile.read(Array(#"[{"name":"a","url":"http://x","quiet":\#(quiet)}]"#.utf8))
        func wants(_ date: Date) -> Bool {
            hooks[0].wants(SightingEvent(kind: .seen, sighting: Fixture.sighting(at: date), picture: []))
        }
        #expect(!wants(midnight) && wants(midnight.addingTimeInterval(60)))
        #expect(wants(midnight.addingTimeInterval(-60)))
    }
}

@Suite struct WebhookSenderTests {
    private let folder: TemporaryFolder
    private let lines = CollectedLines()

    init() throws { folder = try TemporaryFolder() }

    private func sender(_ hooks: String, allowsPrivate: Bool = true) throws -> WebhookSender {
        WebhookSender(
            try WebhookFile.read(Array(hooks.utf8)), directory: folder.path + "/hooks", allowsPrivate: allowsPrivate,
            address: "http://zoo:8080", backOff: 0.02...0.1, logger: Logger(label: "test") { _ in lines })
    }

    private func hook(_ receiver: HTTPReceiver, _ members: String = "", name: String = "a") -> String {
        "{\"name\":\"\(name)\",\"url\":\"http://127.0.0.1:\(receiver.port)/hook\"\(members)}"
    }

    /// Runs the sender during the body.
    private func running(_ sender: WebhookSender, _ body: () async throws -> Void) async throws {
        let task = Task { await sender.run() }
        do {
            try await body()
        } catch {
            task.cancel()
            throw error
        }
        task.cancel()
        await task.value
    }

    private let seen = SightingEvent(kind: .seen, sighting: Fixture.sighting(), picture: [0xFF])

    @Test func aSightingIsToldSigned() async throws {
        let receiver = try HTTPReceiver()
        let sender = try sender("[\(hook(receiver, #","secret":"geheim","token":"t""#))]")
        try await running(sender) {
            await sender.take(seen)
            try await eventually { receiver.requests.count == 1 }
        }
        let request = receiver.requests[0]
        let time = try #require(request.headers["menagerie-timestamp"])
        let expected = WebhookRequest.signature(secret: "geheim", time: time, body: request.body)
        #expect(request.headers["menagerie-signature"] == "sha256=" + expected)
        #expect(request.headers["authorization"] == "Bearer t")
        let text = String(decoding: request.body, as: UTF8.self)
        #expect(text.contains(#""individual":"Misu""#) && text.contains(#""event_type":"seen""#), "\(text)")
    }

    @Test func theSameAnimalIsToldOfOnceAMinute() async throws {
        let receiver = try HTTPReceiver()
        let sender = try sender("[\(hook(receiver))]")
        try await running(sender) {
            for _ in 0..<5 { await sender.take(seen) }
            await sender.take(SightingEvent(kind: .seen, sighting: Fixture.sighting(individual: "Tipu"), picture: []))
            try await eventually { receiver.requests.count == 2 && sender.waiting(for: "a") == 0 }
        }
    }

    @Test func whatWasNotTakenIsTriedAgainAfterARestart() async throws {
        let isUp = Locked(false)
        let receiver = try HTTPReceiver { _ in (isUp.withLock { $0 } ? 204 : 500, "", []) }
        let first = try sender("[\(hook(receiver))]")
        try await running(first) {
            await first.take(seen)
            try await eventually { receiver.requests.count >= 3 }
        }
        #expect(first.waiting(for: "a") == 1)
        #expect(lines.texts.count { $0.contains("does not take") } == 1)
        isUp.withLock { $0 = true }
        let second = try sender("[\(hook(receiver))]")
        try await running(second) { try await eventually { second.waiting(for: "a") == 0 } }
        #expect(Set(receiver.requests.compactMap { $0.headers["menagerie-delivery"] }).count == 1)
    }

    @Test func whatCannotBeStoredIsSentOnce() async throws {
        // No folder can be made below a file.
        try Data().write(to: URL(filePath: folder.path + "/hooks"))
        let receiver = try HTTPReceiver()
        let busy = try HTTPReceiver { _ in (503, "", []) }
        let sender = try sender("[\(hook(receiver)),\(hook(busy, name: "busy"))]")
        try await running(sender) {
            await sender.take(seen)
            try await eventually { sender.count("sent", of: "a") == 1 && sender.count("given_up", of: "busy") == 1 }
        }
        #expect(receiver.requests.count == 1 && busy.requests.count == 1)
    }

    @Test func anAnswerThatIsTooLongCountsByItsStatus() async throws {
        let receiver = try HTTPReceiver { _ in (200, "", [UInt8](repeating: 65, count: 2 << 20)) }
        let sender = try sender("[\(hook(receiver))]")
        try await running(sender) {
            await sender.take(seen)
            try await eventually { sender.count("sent", of: "a") == 1 }
        }
        #expect(receiver.requests.count == 1 && sender.waiting(for: "a") == 0)
    }

    @Test func privateAddressesAreNotAskedUnlessAllowed() async throws {
        let receiver = try HTTPReceiver()
        for url in [
            "http://127.0.0.1:\(receiver.port)/", "http://localhost:\(receiver.port)/",
            "http://[::1]:\(receiver.port)/", "http://0x7f.1:\(receiver.port)/",
        ] {
            let name = "h\(url.count)"
            let sender = try sender("[{\"name\":\"\(name)\",\"url\":\"\(url)\"}]", allowsPrivate: false)
            try await running(sender) {
                await sender.take(seen)
                try await eventually { sender.count("failed", of: name) > 0 }
            }
        }
        #expect(receiver.requests.isEmpty)
    }

    @Test func redirectionsAreNotFollowed() async throws {
        let inner = try HTTPReceiver()
        let outer = try HTTPReceiver { _ in (307, "Location: http://127.0.0.1:\(inner.port)/admin\r\n", []) }
        let sender = try sender("[\(hook(outer))]")
        try await running(sender) {
            await sender.take(seen)
            try await eventually { sender.count("refused", of: "a") == 1 }
        }
        #expect(inner.requests.isEmpty && sender.waiting(for: "a") == 0)
    }

    @Test func oneThatHangsHoldsUpNobodyElse() async throws {
        let hanging = try HTTPReceiver { _ in nil }
        let quick = try HTTPReceiver()
        let sender = try sender("[\(hook(hanging, name: "slow")),\(hook(quick, name: "quick"))]")
        try await running(sender) {
            await sender.take(seen)
            try await eventually { quick.requests.count == 1 && hanging.requests.count == 1 }
        }
        #expect(sender.waiting(for: "slow") == 1)
    }

    @Test func aRequestThatFailsDoesNotHoldBackTheOthers() async throws {
        let isMended = Locked(false)
        let receiver = try HTTPReceiver { request in
            let isBad = String(decoding: request.body, as: UTF8.self).contains("Misu")
            return (isBad && !isMended.withLock { $0 } ? 500 : 204, "", [])
        }
        let sender = try sender("[\(hook(receiver))]")
        try await running(sender) {
            for name in ["Misu", "Tipu", "Mia"] {
                await sender.take(
                    SightingEvent(kind: .seen, sighting: Fixture.sighting(individual: name), picture: []))
            }
            try await eventually { sender.count("sent", of: "a") == 2 && sender.count("failed", of: "a") > 2 }
            #expect(sender.waiting(for: "a") == 1)
            isMended.withLock { $0 = true }
            try await eventually { sender.count("sent", of: "a") == 3 }
        }
        let names = receiver.requests.compactMap { request in
            ["Misu", "Tipu", "Mia"].first { String(decoding: request.body, as: UTF8.self).contains($0) }
        }
        #expect(names.filter { $0 != "Misu" } == ["Tipu", "Mia"])
        #expect(lines.texts.count { $0.contains("does not take") } == 1)
    }

    @Test func whatIsTooOldIsGivenUp() async throws {
        let receiver = try HTTPReceiver { _ in (503, "", []) }
        let sender = try sender("[\(hook(receiver, #","give_up_after_s":1"#))]")
        try await running(sender) {
            await sender.take(seen)
            try await eventually { sender.count("given_up", of: "a") == 1 }
        }
        #expect(sender.waiting(for: "a") == 0)
        #expect(lines.texts.count { $0.contains("given up") } == 1)
    }
}

extension WebhookSender {
    fileprivate nonisolated func waiting(for name: String) -> Int {
        metric("menagerie_webhook_waiting{webhook=\"\(name)\"}")
    }

    fileprivate nonisolated func count(_ result: String, of name: String) -> Int {
        metric("menagerie_webhook_requests_total{webhook=\"\(name)\",result=\"\(result)\"}")
    }

    /// The value of a series in the metrics; -1 if there is no such series.
    private nonisolated func metric(_ series: String) -> Int {
        let registry = MetricRegistry()
        register(in: registry)
        let line = registry.render().split(separator: "\n").first { $0.hasPrefix(series + " ") }
        return line.flatMap { Int($0.dropFirst(series.count + 1)) } ?? -1
    }
}
