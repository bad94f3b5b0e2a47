import Base
import Foundation
import Logging
import TestSupport
import Testing

@testable import Connections

@Suite struct HomeAssistantDeviceTests {
    private let device = HomeAssistantDevice(
        id: "5f2a", prefix: "menagerie", version: "1.0", address: "http://zoo:8080")

    private func object(_ bytes: [UInt8]) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    @Test func aDeviceHasWhatHomeAssistantAsksFor() throws {
        let payload = try object(device.payload(device.components([Fixture.camera()], individuals: ["Misu", "Myyrä"])))
        #expect((payload["o"] as? [String: Any])?["name"] as? String == "Menagerie")
        #expect((payload["dev"] as? [String: Any])?["ids"] as? [String] == ["menagerie_5f2a"])
        #expect(payload["availability_topic"] as? String == "menagerie/available")
        let components = try #require(payload["cmps"] as? [String: [String: Any]])
        var ids: Set<String> = []
        for (key, component) in components {
            #expect(component["p"] is String)
            #expect(ids.insert(try #require(component["unique_id"] as? String)).inserted)
            #expect(key.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }, "\(key)")
            // An image entity has an image topic. Every other entity has a state topic.
            #expect((component["state_topic"] == nil) == (component["p"] as? String == "image"))
        }
        let misu = try #require(components["porch_is_misu"])
        #expect(misu["p"] as? String == "binary_sensor" && misu["payload_on"] as? String == "ON")
        #expect(misu["state_topic"] as? String == "menagerie/porch/individual/misu")
        #expect(components["porch_is_myyra"] != nil)
        #expect(components["porch_event"]?["event_types"] as? [String] == ["seen", "left"])
    }

    @Test func animalsWithLikeNamesHaveSensorsOfTheirOwn() throws {
        let names = ["Мурка", "Рыжик", "Misu", "misu", "Mia"]
        let sensors = device.components([Fixture.camera()], individuals: names).values
            .filter { $0.p == "binary_sensor" }
        #expect(sensors.count == names.count)
        #expect(Set(sensors.map(\.stateTopic)).count == names.count)
        for topic in sensors.compactMap(\.stateTopic) {
            #expect(topic.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "+") }, "\(topic)")
        }
        #expect(sensors.contains { $0.stateTopic == "menagerie/porch/individual/mia" })
    }

    @Test func whatIsGoneIsToldByItsPlatformAlone() throws {
        let payload = try object(device.payload([:], gone: ["porch_animal": "sensor"]))
        let components = try #require(payload["cmps"] as? [String: [String: String]])
        #expect(components == ["porch_animal": ["p": "sensor"]])
    }

    @Test func camerasThatAreOffHaveNoEntities() {
        var camera = Fixture.camera()
        camera.isEnabled = false
        #expect(device.components([camera], individuals: ["Misu"]).isEmpty)
    }
}

@Suite(.enabled(if: MQTTBroker.isAvailable, "apt-get install mosquitto mosquitto-clients"))
struct HomeAssistantPublisherTests {
    private let folder: TemporaryFolder
    private let names = Locked(["Misu"])

    init() throws { folder = try TemporaryFolder() }

    private func start(
        _ broker: MQTTBroker, discovery: String? = "homeassistant"
    ) async throws -> (MQTTClient, HomeAssistantPublisher) {
        var options = MQTTOptions(host: "127.0.0.1", port: broker.port, backOff: 0.02...0.1)
        options.will = HomeAssistantPublisher.will(prefix: "menagerie")
        let logger = Logger(label: "test") { _ in CollectedLines() }
        let client = MQTTClient(options, outbox: Outbox(directory: folder.path + "/mqtt", limit: 100), logger: logger)
        let names = names
        let publisher = HomeAssistantPublisher(
            client: client,
            device: HomeAssistantDevice(
                id: "5f2a", prefix: "menagerie", version: "1.0", address: "http://zoo:8080"),
            discovery: discovery, names: { names.withLock { $0 } }, logger: logger)
        client.start()
        await publisher.take(cameras: [Fixture.camera()])
        try await eventually { client.status == .connected }
        return (client, publisher)
    }

    private let config = "homeassistant/device/menagerie_5f2a/config "

    @Test func aVisitTurnsASensorOnAndOff() async throws {
        let broker = try MQTTBroker()
        try await broker.start()
        let (client, publisher) = try await start(broker)
        let listener = try broker.listener([
            "-t", "menagerie/porch/individual/#", "-t", "menagerie/porch/events", "-t", "menagerie/porch/count",
        ])
        try await eventually {
            client.repeatAll()
            return listener.lines.contains("menagerie/porch/individual/misu OFF")
        }
        await publisher.take(SightingEvent(kind: .seen, sighting: Fixture.sighting(), picture: [0xFF]))
        try await eventually { listener.lines.contains("menagerie/porch/individual/misu ON") }
        try await eventually { listener.lines.contains(#"menagerie/porch/count {"animals":1,"cat":1}"#) }
        let event = try #require(listener.lines.first { $0.hasPrefix("menagerie/porch/events ") })
        for member in [#""event_type":"seen""#, #""individual":"Misu""#, #""first_today":false"#, #""count_today":1"#] {
            #expect(event.contains(member), "\(event)")
        }
        await publisher.take(SightingEvent(kind: .left, sighting: Fixture.sighting(), picture: [0xFF]))
        try await eventually {
            listener.lines.last { $0.contains("individual/misu") } == "menagerie/porch/individual/misu OFF"
        }
        await client.stop()
    }

    @Test func entitiesAreRetainedAndTakenBack() async throws {
        let broker = try MQTTBroker()
        try await broker.start()
        let (client, publisher) = try await start(broker)
        let listener = try broker.listener(["-t", "homeassistant/#"])
        try await eventually { listener.lines.contains { $0.hasPrefix(config) && $0.contains("porch_is_misu") } }
        names.withLock { $0 = ["Misu", "Tipu"] }
        await publisher.refresh()
        try await eventually { listener.lines.contains { $0.contains("porch_is_tipu") } }
        names.withLock { $0 = ["Misu"] }
        await publisher.refresh()
        try await eventually { listener.lines.contains { $0.contains(#""porch_is_tipu":{"p":"binary_sensor"}"#) } }
        try await eventually { listener.lines.last?.contains("tipu") == false }
        await publisher.take(cameras: [])
        try await eventually { listener.lines.last == config + "(null)" }
        let late = try broker.listener(["-t", "homeassistant/#", "-t", "menagerie/available"])
        try await eventually { !late.lines.isEmpty }
        #expect(late.lines == ["menagerie/available online"])
        await client.stop()
    }

    @Test func entitiesThatWentWhileTheBrokerWasAwayAreTakenBack() async throws {
        let broker = try MQTTBroker()
        try await broker.start()
        let (client, publisher) = try await start(broker)
        broker.stop()
        try await eventually { client.status != .connected }
        names.withLock { $0 = [] }
        await publisher.refresh()
        try await broker.start()
        let listener = try broker.listener(["-t", "homeassistant/#"])
        try await eventually { client.status == .connected && !listener.lines.isEmpty }
        await publisher.refresh()
        try await eventually { listener.lines.contains { $0.contains(#""porch_is_misu":{"p":"binary_sensor"}"#) } }
        try await eventually { listener.lines.last?.contains("misu") == false }
        await client.stop()
    }

    @Test func entitiesThatWentOnADeadConnectionAreTakenBackOnTheNext() async throws {
        let broker = try MQTTBroker()
        try await broker.start()
        let (client, publisher) = try await start(broker)
        broker.freeze()
        names.withLock { $0 = [] }
        let sent = client.counts.sent
        await publisher.refresh()
        try await eventually { client.counts.sent > sent }
        broker.stop()
        try await eventually { client.status != .connected }
        try await broker.start()
        let listener = try broker.listener(["-t", "homeassistant/#"])
        try await eventually { client.status == .connected && !listener.lines.isEmpty }
        await publisher.refresh()
        try await eventually { listener.lines.contains { $0.contains(#""porch_is_misu":{"p":"binary_sensor"}"#) } }
        try await eventually { listener.lines.last?.contains("misu") == false }
        // The connection lives, so they are not told once more.
        let count = listener.lines.count { $0.contains("misu") }
        await publisher.refresh()
        try broker.publish(["-t", "homeassistant/end", "-m", "x"])
        try await eventually { listener.lines.last == "homeassistant/end x" }
        #expect(listener.lines.count { $0.contains("misu") } == count)
        await client.stop()
    }

    @Test func homeAssistantsBirthIsAnswered() async throws {
        let broker = try MQTTBroker()
        try await broker.start()
        let (client, publisher) = try await start(broker)
        await publisher.take(SightingEvent(kind: .seen, sighting: Fixture.sighting(), picture: [0xFF]))
        let listener = try broker.listener([
            "-t", "homeassistant/device/#", "-t", "menagerie/porch/animal", "-t", "menagerie/porch/events",
        ])
        try await eventually { !listener.lines.isEmpty && client.waiting == 0 }
        let before = listener.lines.count { $0.hasPrefix(config) }
        try broker.publish(["-t", "homeassistant/status", "-m", "online"])
        try await eventually { listener.lines.count { $0.hasPrefix(config) } > before }
        try await eventually { listener.lines.contains { $0.hasPrefix("menagerie/porch/animal ") } }
        // Past events are not sent again.
        #expect(listener.lines.count { $0.hasPrefix("menagerie/porch/events ") } <= 1)
        await client.stop()
    }

    /// Home Assistant subscribes to the topics of new entities when it has read their announcement.
    @Test func whoSubscribesAfterTheAnnouncementHearsTheValues() async throws {
        let broker = try MQTTBroker()
        try await broker.start()
        let (client, publisher) = try await start(broker)
        let announced = try broker.listener(["-t", "homeassistant/device/#"])
        try await eventually { !announced.lines.isEmpty }
        let listener = try broker.listener(["-t", "menagerie/porch/#"])
        try await eventually {
            try broker.publish(["-t", "menagerie/porch/ready", "-m", "x"])
            return !listener.lines.isEmpty
        }
        await publisher.refresh()
        try await eventually { listener.lines.contains("menagerie/porch/individual/misu OFF") }
        #expect(listener.lines.contains(#"menagerie/porch/count {"animals":0}"#))
        await client.stop()
    }

    /// The end of a visit is told when its scan is made, for which a busy recogniser takes up to a minute.
    @Test func theLateEndOfAVisitDoesNotHideALaterAnimal() async throws {
        let broker = try MQTTBroker()
        try await broker.start()
        let (client, publisher) = try await start(broker)
        for (kind, id) in [(SightingEvent.Kind.seen, "01J"), (.seen, "01K"), (.left, "01J")] {
            await publisher.take(SightingEvent(kind: kind, sighting: Fixture.sighting(id: id), picture: [0xFF]))
        }
        try await eventually { client.waiting == 0 }
        let listener = try broker.listener(["-t", "menagerie/porch/animal"])
        try await eventually {
            client.repeatAll()
            return !listener.lines.isEmpty
        }
        #expect(listener.lines.allSatisfy { $0.contains(#""id":"01K""#) }, "\(listener.lines)")
        await publisher.take(SightingEvent(kind: .left, sighting: Fixture.sighting(id: "01K"), picture: [0xFF]))
        try await eventually { listener.lines.last?.contains(#""event_type":"left""#) == true }
        await client.stop()
    }

    @Test func aCameraDoesNotBeginWithTheLastAnimalOfADeletedOne() async throws {
        let broker = try MQTTBroker()
        try await broker.start()
        let (client, publisher) = try await start(broker)
        await publisher.take(SightingEvent(kind: .seen, sighting: Fixture.sighting(), picture: [0xFF]))
        await publisher.take(cameras: [])
        await publisher.take(SightingEvent(kind: .left, sighting: Fixture.sighting(), picture: [0xFF]))
        await publisher.take(cameras: [Fixture.camera()])
        try await eventually { client.waiting == 0 }
        let listener = try broker.listener(["-t", "menagerie/porch/animal", "-t", "menagerie/porch/count"])
        // Each round tells everything, so the second one ends the first.
        try await eventually {
            client.repeatAll()
            return listener.lines.count { $0.hasPrefix("menagerie/porch/count ") } > 1
        }
        #expect(Set(listener.lines) == [#"menagerie/porch/count {"animals":0}"#])
        await client.stop()
    }

    @Test func withoutCamerasTheBrokerHasPeace() async throws {
        let broker = try MQTTBroker()
        try await broker.start()
        let (client, publisher) = try await start(broker)
        await publisher.take(cameras: [])
        // After an announcement the values are sent again twice.
        for _ in 0..<3 { await publisher.refresh() }
        try client.post(MQTTMessage("quiet", "x"))
        try await eventually { client.counts.delivered == 1 }
        let sent = client.counts.sent
        for _ in 0..<3 { await publisher.refresh() }
        try client.post(MQTTMessage("done", "x"))
        try await eventually { client.counts.delivered == 2 }
        #expect(client.counts.sent == sent + 1)
        await client.stop()
    }

    @Test func withoutDiscoveryTheEntitiesOfEarlierAreTakenBack() async throws {
        let broker = try MQTTBroker()
        try await broker.start()
        try broker.publish(["-t", "homeassistant/device/menagerie_5f2a/config", "-r", "-m", "{}"])
        let (client, _) = try await start(broker, discovery: nil)
        try client.post(MQTTMessage("done", "x", isRetained: true))
        try await eventually { client.counts.delivered == 1 }
        let late = try broker.listener(["-t", "homeassistant/#", "-t", "done"])
        try await eventually { !late.lines.isEmpty }
        #expect(late.lines == ["done x"])
        await client.stop()
    }
}
