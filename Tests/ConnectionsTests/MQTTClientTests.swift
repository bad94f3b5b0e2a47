import Base
import Foundation
import Glibc
import Logging
import TestSupport
import Testing

@testable import Connections

@Suite(.enabled(if: MQTTBroker.isAvailable, "apt-get install mosquitto mosquitto-clients"))
struct MQTTClientTests {
    private let folder: TemporaryFolder
    private let lines = CollectedLines()

    init() throws { folder = try TemporaryFolder() }

    private func options(_ broker: MQTTBroker) -> MQTTOptions {
        var options = MQTTOptions(host: "127.0.0.1", port: broker.port, backOff: 0.02...0.1)
        options.will = MQTTMessage("menagerie/available", "offline", isRetained: true)
        return options
    }

    private func client(_ options: MQTTOptions, limit: Int = 1000) -> MQTTClient {
        MQTTClient(
            options, outbox: Outbox(directory: folder.path + "/mqtt", limit: limit),
            logger: Logger(label: "test") { _ in lines })
    }

    @Test func nothingOfQoS1IsLostWhileTheBrokerStopsTenTimes() async throws {
        let broker = try MQTTBroker()
        let client = client(options(broker))
        client.start()
        // The broker is away at the start and then ten more times.
        for round in 0..<11 {
            for number in 0..<20 {
                try client.post(MQTTMessage("events", "\(round).\(number)", delivery: .atLeastOnce))
            }
            try await broker.start()
            let listener = try broker.listener(["-t", "events", "-q", "1", "-t", "ready"])
            try await eventually {
                // The listener may start late, so each round repeats its message until the listener has heard one.
                if listener.lines.isEmpty { try broker.publish(["-t", "ready", "-m", "x"]) }
                return client.waiting == 0 && !listener.lines.isEmpty
            }
            for number in 20..<40 {
                try client.post(MQTTMessage("events", "\(round).\(number)", delivery: .atLeastOnce))
            }
            try await eventually { client.waiting == 0 }
            let count = client.counts.delivered
            #expect(count == (round + 1) * 40)
            try await eventually { (20..<40).allSatisfy { listener.lines.contains("events \(round).\($0)") } }
            broker.stop()
            try await eventually { client.status != .connected }
        }
        await client.stop()
    }

    @Test func theStateChangesAreLoggedOnceEach() async throws {
        let broker = try MQTTBroker()
        let client = client(options(broker))
        client.start()
        try await eventually { client.counts.failures > 5 }
        #expect(lines.texts.count { $0.contains("cannot be reached") } == 1)
        try await broker.start()
        try await eventually { client.status == .connected }
        #expect(lines.texts.count { $0.contains("is connected") } == 1)
        await client.stop()
    }

    @Test func aWrongPasswordIsNamedOnceAndTriedAgain() async throws {
        let broker = try MQTTBroker(user: "anna")
        try await broker.start()
        var options = options(broker)
        options.user = "anna"
        options.password = "falsch"
        let client = client(options)
        client.start()
        try await eventually { client.counts.failures > 5 }
        let said = lines.texts.filter { $0.contains("cannot be reached") }
        #expect(said.count == 1 && said[0].contains("does not let this user in"), "\(said)")
        #expect(!lines.texts.joined().contains("falsch"))
        await client.stop()
    }

    @Test func theRightPasswordIsLetIn() async throws {
        let broker = try MQTTBroker(user: "anna")
        try await broker.start()
        var options = options(broker)
        (options.user, options.password) = ("anna", "right")
        let client = client(options)
        client.start()
        try await eventually { client.status == .connected }
        await client.stop()
    }

    @Test func keptValuesAreToldToABrokerThatForgotThem() async throws {
        let broker = try MQTTBroker()
        let client = client(options(broker))
        client.keep(MQTTMessage("menagerie/available", "online", isRetained: true))
        client.start()
        for _ in 0..<2 {
            try await broker.start()
            try await eventually { client.status == .connected }
            let listener = try broker.listener(["-t", "menagerie/#"])
            try await eventually { listener.lines.contains("menagerie/available online") }
            broker.stop()
            try await eventually { client.status != .connected }
        }
        await client.stop()
    }

    @Test func theWillIsLeftByOneThatGoes() async throws {
        let broker = try MQTTBroker()
        try await broker.start()
        let client = client(options(broker))
        client.keep(MQTTMessage("menagerie/available", "online", isRetained: true))
        client.start()
        let listener = try broker.listener(["-t", "menagerie/#"])
        try await eventually { listener.lines.contains("menagerie/available online") }
        await client.stop()
        try await eventually { listener.lines.last == "menagerie/available offline" }
    }

    @Test func whatIsEmptyIsTakenBackForGood() async throws {
        let broker = try MQTTBroker()
        try await broker.start()
        let client = client(options(broker))
        client.keep(MQTTMessage("a/config", "{}", isRetained: true))
        client.start()
        try await eventually { client.counts.sent == 1 }
        client.keep(MQTTMessage("a/config", [], isRetained: true))
        try await eventually { client.counts.sent == 2 }
        client.repeatAll()
        // When this message arrives, all earlier ones have arrived.
        try client.post(MQTTMessage("b", "x", isRetained: true))
        try await eventually { client.counts.delivered == 1 }
        let listener = try broker.listener(["-t", "#"])
        try await eventually { !listener.lines.isEmpty }
        #expect(listener.lines == ["b x"])
        await client.stop()
    }

    @Test func aDeletionIsSentAgainAfterTheConnectionWasLost() async throws {
        let broker = try MQTTBroker()
        try await broker.start()
        let client = client(options(broker))
        client.keep(MQTTMessage("a/config", [], isRetained: true))
        client.start()
        try await eventually { client.counts.sent == 1 }
        broker.stop()
        try await eventually { client.status != .connected }
        try await broker.start()
        try await eventually { client.counts.sent == 2 }
        await client.stop()
    }

    @Test func tenThousandRetainedMessagesAreTakenOneByOne() async throws {
        let broker = try MQTTBroker(settings: "max_queued_messages 0")
        try await broker.start()
        let client = client(options(broker))
        let heard = Locked<Set<String>>([])
        client.subscribe("old/#") { message in heard.withLock { _ = $0.insert(message.topic) } }
        let filler = self.client(options(broker).named("filler"))
        filler.start()
        try await eventually { filler.status == .connected }
        for number in 0..<10_000 { filler.keep(MQTTMessage("old/\(number)", "not JSON", isRetained: true)) }
        try await eventually { filler.counts.sent == 10_000 }
        client.start()
        try await eventually { heard.withLock { $0.count } == 10_000 }
        #expect(client.status == .connected)
        await client.stop()
        await filler.stop()
    }

    /// Starts a broker with a certificate for `localhost`.
    ///
    /// - Parameter keys: the folder for its certificate, `cert.pem`.
    private func encryptedBroker(_ keys: TemporaryFolder) async throws -> MQTTBroker {
        let openssl = Process()
        openssl.executableURL = URL(filePath: "/usr/bin/openssl")
        openssl.arguments =
            ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
            + [
                "-addext", "subjectAltName=DNS:localhost", "-keyout", keys.path + "/key.pem", "-out",
                keys.path + "/cert.pem",
            ]
        openssl.standardError = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        let broker = try MQTTBroker(settings: "certfile \(keys.path)/cert.pem\nkeyfile \(keys.path)/key.pem")
        try await broker.start()
        return broker
    }

    @Test func whatIsWrongWithTLSIsTold() async throws {
        let keys = try TemporaryFolder()
        let encrypted = try await encryptedBroker(keys)
        let plain = try MQTTBroker()
        try await plain.start()
        for (broker, host, authorities, reason) in [
            (encrypted, "localhost", nil, "its authority is not known"),
            (encrypted, "127.0.0.1", keys.path + "/cert.pem", "made out to another name"),
            (encrypted, "localhost", keys.path + "/none.pem", "none.pem, cannot be read"),
            (plain, "localhost", nil, "not speak TLS"),
        ] {
            var options = options(broker)
            (options.host, options.isEncrypted, options.authorities) = (host, true, authorities)
            let client = client(options)
            client.start()
            try await eventually { client.counts.failures > 0 }
            await client.stop()
            #expect(lines.texts.last?.contains(reason) == true, "\(lines.texts)")
        }
    }

    @Test func anEncryptedBrokerHasToShowACertificateThatIsTrusted() async throws {
        let keys = try TemporaryFolder()
        let broker = try await encryptedBroker(keys)
        var options = options(broker)
        options.host = "localhost"
        options.isEncrypted = true
        let stranger = client(options.named("stranger"))
        stranger.start()
        try await eventually { stranger.counts.failures > 0 }
        #expect(stranger.counts.connections == 0)
        await stranger.stop()
        options.authorities = keys.path + "/cert.pem"
        let client = client(options)
        client.start()
        try await eventually { client.status == .connected }
        try client.post(MQTTMessage("a", "b"))
        try await eventually { client.counts.delivered == 1 }
        await client.stop()
    }

    @Test func aMessageThatIsTooLargeForTheBrokerIsLeftOutAndAllElseGoesOn() async throws {
        let broker = try MQTTBroker(settings: "max_packet_size 10000")
        try await broker.start()
        let client = client(options(broker))
        client.keep(MQTTMessage("porch/snapshot", [UInt8](repeating: 7, count: 50_000)))
        client.keep(MQTTMessage("menagerie/available", "online", isRetained: true))
        try client.post(MQTTMessage("events", [UInt8](repeating: 7, count: 50_000), delivery: .atLeastOnce))
        try client.post(MQTTMessage("events", "seen", delivery: .atLeastOnce))
        client.start()
        try await eventually { client.waiting == 0 }
        let listener = try broker.listener(["-t", "#"])
        try await eventually { listener.lines.contains("menagerie/available online") }
        client.keep(MQTTMessage("porch/snapshot", [UInt8](repeating: 8, count: 60_000)))
        client.keep(MQTTMessage("porch/snapshot", "small"))
        try await eventually { listener.lines.contains("porch/snapshot small") }
        #expect(client.counts.delivered == 1)
        #expect(client.counts.connections == 1)
        let said = lines.texts.filter { $0.contains("left out") }
        #expect(said.count == 2 && said.allSatisfy { $0.contains("max_packet_size") }, "\(said)")
        await client.stop()
    }

    @Test func aMessageThatTheBrokerRefusesIsNotCalledDelivered() async throws {
        let rules = try TemporaryFolder()
        try "topic read #\ntopic write free\n".write(
            toFile: rules.path + "/rules", atomically: true, encoding: .utf8)
        let broker = try MQTTBroker(settings: "acl_file \(rules.path)/rules")
        try await broker.start()
        let client = client(options(broker))
        for topic in ["events", "free", "events"] { try client.post(MQTTMessage(topic, "x", delivery: .atLeastOnce)) }
        client.start()
        try await eventually { client.waiting == 0 }
        #expect(client.counts.delivered == 1)
        #expect(client.counts.lost == 2)
        let said = lines.texts.filter { $0.contains("left out") }
        #expect(said.count == 1 && said[0].contains("events") && said[0].contains("Not authorized"), "\(said)")
        await client.stop()
    }

    @Test func aSubscriptionThatTheBrokerRefusesIsLogged() async throws {
        // CONNACK, and SUBACK with “Not authorized” for the first packet id.
        let listener = try BrokerOfOld(answer: [0x20, 3, 0, 0, 0, 0x90, 4, 0, 1, 0, 0x87], closes: false)
        let client = client(MQTTOptions(host: "127.0.0.1", port: listener.port, backOff: 0.02...0.1))
        client.subscribe("frigate/events") { _ in }
        client.start()
        try await eventually { lines.texts.contains { $0.contains("frigate/events") } }
        #expect(lines.texts.contains { $0.contains("refuses a subscription") && $0.contains("Not authorized") })
        await client.stop()
    }

    /// A broker of the time before MQTT 5 answers with the return code 1 of MQTT 3.1.1.
    @Test func aBrokerWithoutMQTT5IsSpokenToInMQTT311() async throws {
        let listener = try BrokerOfOld()
        let client = client(MQTTOptions(host: "127.0.0.1", port: listener.port, backOff: 0.02...0.1))
        client.start()
        try await eventually { client.status == .connected }
        #expect(listener.versions == [5, 4])
        // The largest packet that the broker may send has 4 MiB (MQTT 5 §3.1.2.11.4).
        #expect(listener.packets[0].firstRange(of: [0x27, 0, 0x40, 0, 0]) != nil)
        #expect(lines.texts.allSatisfy { !$0.contains("cannot be reached") })
        await client.stop()
    }

    @Test func aServerOfAnotherKindIsCalledThat() async throws {
        let listener = try BrokerOfOld(answer: Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        let client = client(MQTTOptions(host: "127.0.0.1", port: listener.port, backOff: 0.02...0.1))
        client.start()
        try await eventually { lines.texts.contains { $0.contains("it does not answer as an MQTT broker does") } }
        await client.stop()
    }

    @Test func aBrokerThatFallsSilentIsCalledThat() async throws {
        let listener = try BrokerOfOld(answer: [0x20, 3, 0, 0, 0], closes: false)
        var options = MQTTOptions(host: "127.0.0.1", port: listener.port, backOff: 0.02...0.1)
        options.keepAlive = 5
        let client = client(options)
        client.start()
        try await eventually(within: .seconds(30)) { lines.texts.contains { $0.contains("it no longer answers") } }
        await client.stop()
    }

    @Test func twoClientsWithOneIDAreToldSo() async throws {
        let broker = try MQTTBroker()
        try await broker.start()
        let clients = [client(options(broker)), client(options(broker))]
        clients.forEach { $0.start() }
        try await eventually { lines.texts.contains { $0.contains("mqtt.client_id") } }
        for client in clients { await client.stop() }
    }

    @Test func theBrokersReasonForTheEndIsTold() async throws {
        for (code, reason) in [(UInt8(0x8e), "mqtt.client_id"), (0x8b, "Server shutting down")] {
            let listener = try BrokerOfOld(answer: [0x20, 3, 0, 0, 0, 0xe0, 2, code, 0], closes: false)
            let client = client(MQTTOptions(host: "127.0.0.1", port: listener.port, backOff: 0.02...0.1))
            client.start()
            try await eventually { client.counts.failures > 0 }
            await client.stop()
            // The broker does not answer the later attempts in MQTT 3.1.1.
            #expect(lines.texts.contains { $0.contains(reason) }, "\(lines.texts)")
        }
    }

    @Test func aHostThatIsNoneIsTriedAgain() async throws {
        let client = client(MQTTOptions(host: "nobody.invalid", port: 1, backOff: 0.01...0.02))
        client.start()
        try await eventually { client.counts.failures > 2 }
        await client.stop()
        #expect(lines.texts.count { $0.contains("cannot be reached") } == 1)
    }
}

extension MQTTOptions {
    fileprivate func named(_ name: String) -> MQTTOptions {
        var options = self
        options.clientID = name
        return options
    }
}

final class CollectedLines: LogHandler {
    private let collected = Locked<[String]>([])
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }

    var texts: [String] { collected.withLock { $0 } }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        collected.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
    }
}

/// A broker that refuses every version after MQTT 3.1.1.
private final class BrokerOfOld: Sendable {
    let port: Int
    private let socket: Int32
    private let asked = Locked<[[UInt8]]>([])

    /// The beginnings of all CONNECT packets.
    var packets: [[UInt8]] { asked.withLock { $0 } }
    /// Their protocol levels. MQTT 3.1.1 §3.1.2.2: the level follows the fixed header and the protocol's name.
    var versions: [UInt8] { packets.map { $0[8] } }

    /// - Parameters:
    ///   - answer: what it sends instead of the answer of a broker.
    ///   - closes: whether it closes the connection after that answer.
    init(answer other: [UInt8]? = nil, closes: Bool = true) throws {
        port = try MQTTBroker.freePort()
        socket = try ListeningSocket.open(port: port)
        let (socket, asked) = (socket, asked)
        Thread.detachNewThread {
            while true {
                let connection = accept(socket, nil, nil)
                guard connection >= 0 else { return }
                var bytes = [UInt8](repeating: 0, count: 256)
                guard read(connection, &bytes, bytes.count) > 8 else { continue }
                asked.withLock { [bytes] in $0.append(bytes) }
                let isRefused = bytes[8] > 4
                let answer = other ?? [0x20, 2, 0, isRefused ? 1 : 0]
                _ = write(connection, answer, answer.count)
                if other == nil ? isRefused : closes { close(connection) }
            }
        }
    }

    deinit {
        shutdown(socket, Int32(SHUT_RDWR))
        close(socket)
    }
}
