import Base
import Foundation
import Logging
import Telemetry
import TestSupport
import Testing

@testable import Connections

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

    /// The file of the waiting request is written anew with the time that a clock two days behind would have given.
    @Test func aClockThatIsSetForwardGivesNothingUp() async throws {
        let isUp = Locked(false)
        let receiver = try HTTPReceiver { _ in (isUp.withLock { $0 } ? 204 : 503, "", []) }
        let sender = try sender("[\(hook(receiver))]")
        await sender.take(seen)
        let path = folder.path + "/hooks/a/000000000001.json"
        var waiting = try JSONDecoder().decode(WebhookRequest.self, from: Data(contentsOf: URL(filePath: path)))
        waiting.made -= 172_800
        try Data([UInt8](json: waiting)).write(to: URL(filePath: path))
        try await running(sender) {
            try await eventually { receiver.requests.count >= 2 }
            isUp.withLock { $0 = true }
            try await eventually { sender.count("sent", of: "a") == 1 }
        }
        #expect(sender.count("given_up", of: "a") == 0)
    }

    /// The machine was off for two days.
    @Test func whatIsTooOldAfterARestartIsGivenUp() async throws {
        let receiver = try HTTPReceiver()
        let hooks = try WebhookFile.read(Array("[\(hook(receiver))]".utf8))
        var request = WebhookRequest(seen, for: hooks[0], address: nil)
        request.made -= 172_800
        try folder.write([UInt8](json: request), "hooks/a/000000000001.json")
        let sender = try sender("[\(hook(receiver))]")
        try await running(sender) { try await eventually { sender.count("given_up", of: "a") == 1 } }
        #expect(receiver.requests.isEmpty)
    }

    @Test func theRequestsOfARemovedWebhookAreDeleted() async throws {
        let receiver = try HTTPReceiver { _ in (503, "", []) }
        for name in ["gone", "others", "kept"] { try folder.write(Array("{}".utf8), "hooks/\(name)/000000000001.json") }
        try folder.write([], "hooks/notes.txt")
        // Another service on the same data directory sends them.
        let lock = try #require(FileSystem.lockDirectory(folder.path + "/hooks/others"))
        let sender = try sender("[\(hook(receiver, name: "kept"))]")
        try await running(sender) {
            try await eventually { !FileSystem.isDirectory(folder.path + "/hooks/gone") }
            // A second service has no webhooks.
            let second = try self.sender("[]")
            try await running(second) {}
            #expect(Set(FileSystem.names(in: folder.path + "/hooks")) == ["others", "kept", "notes.txt"])
        }
        #expect(FileSystem.names(in: folder.path + "/hooks/others") == ["000000000001.json"])
        #expect(lines.texts.count { $0.contains("removed are deleted") } == 1)
        FileSystem.closeDescriptor(lock)
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
