import Base
import Foundation
package import Logging

/// Publishes sightings to the broker, and entities to Home Assistant.
package actor HomeAssistantPublisher: CameraListener {
    private let client: MQTTClient
    private let device: HomeAssistantDevice
    private let discovery: String?
    private let logger: Logger
    /// Returns the current names of animals. It is called each time, since names may be added.
    private let names: @Sendable () -> [String]
    private var cameras: [Camera] = []
    /// The entities of the last announcement. Nil before the first.
    private var announced: [String: HomeAssistantDevice.Component]?
    /// The removed entities that the broker may not know of yet, with their platforms.
    private var gone: [String: String] = [:]
    /// The number of the connection on which they were told last, and when.
    private var told: (connection: Int, at: ContinuousClock.Instant)?
    /// How often all values are still sent again for entities that were announced lately. Home Assistant subscribes to
    /// their topics a moment after the announcement, and misses the first values.
    private var repetitions = 0
    /// The current sightings at each camera, by their ids.
    private var present: [String: [String: Sighting]] = [:]
    /// The id of the sighting that began last at each camera.
    private var newest: [String: String] = [:]
    private let pool = BlockingPool(label: "menagerie.mqtt.outbox", width: 1, maximumPending: 1024)

    /// - Parameter discovery: the first level of Home Assistant's discovery topics. Nil turns discovery off.
    package init(
        client: MQTTClient, device: HomeAssistantDevice, discovery: String?, names: @escaping @Sendable () -> [String],
        logger: Logger
    ) {
        self.client = client
        self.device = device
        self.discovery = discovery
        self.names = names
        self.logger = logger
        client.keep(MQTTMessage("\(device.prefix)/available", "online", isRetained: true))
        if let discovery {
            // Home Assistant has restarted and has lost all values.
            client.subscribe("\(discovery)/status") { message in
                if message.payload == Array("online".utf8), !message.isRetained { client.repeatAll() }
            }
        } else {
            // Deletes the entities that an earlier start published.
            client.keep(MQTTMessage("homeassistant/device/menagerie_\(device.id)/config", [], isRetained: true))
        }
    }

    /// The message that the broker sends for this service if the connection breaks.
    package static func will(prefix: String) -> MQTTMessage {
        MQTTMessage("\(prefix)/available", "offline", isRetained: true)
    }

    package func take(cameras: [Camera]) {
        let before = self.cameras
        self.cameras = cameras
        announce()
        for camera in cameras where camera.isEnabled { count(camera.id) }
        // A later camera of the same name must not begin with the last animal of a deleted one.
        for camera in before where !watches(camera.id) {
            (present[camera.id], newest[camera.id]) = (nil, nil)
            client.forget(topicsFrom: device.topic(camera.id, ""))
        }
    }

    private func watches(_ camera: String) -> Bool { cameras.contains { $0.id == camera } }

    /// Announces entities again after animals were named, and repeats the values of new entities. Call it every few
    /// seconds.
    package func refresh() {
        if repetitions > 0 {
            repetitions -= 1
            client.repeatAll()
        }
        announce()
    }

    /// Publishes an arrival or a departure, and the states that follow from it.
    package func take(_ event: SightingEvent) async {
        let sighting = event.sighting
        if sighting.individual.map({ known($0.label) }) == false { announce() }
        let report = report(event)
        let before = present[sighting.camera]?[sighting.id]
        switch event.kind {
        case .seen:
            present[sighting.camera, default: [:]][sighting.id] = sighting
            newest[sighting.camera] = sighting.id
        case .left: present[sighting.camera]?[sighting.id] = nil
        }
        await post(MQTTMessage(device.topic(sighting.camera, "events"), report, delivery: .atLeastOnce))
        // The deletion of a camera ends its visits.
        guard watches(sighting.camera) else { return }
        // The end of an earlier visit comes late, since its scan is made first.
        if newest[sighting.camera, default: sighting.id] == sighting.id { take(last: event) }
        count(sighting.camera)
        for name in Set([before, sighting].compactMap { $0?.individual?.label }) {
            tellPresence(of: name, at: sighting.camera)
        }
    }

    /// Publishes the newest sighting of a camera as its state.
    package func take(last event: SightingEvent) {
        client.keep(MQTTMessage(device.topic(event.sighting.camera, "animal"), report(event)))
        client.keep(MQTTMessage(device.topic(event.sighting.camera, "snapshot"), event.picture))
    }

    private func report(_ event: SightingEvent) -> [UInt8] {
        Array(json: SightingReport(event, address: device.address))
    }

    private func tellPresence(of name: String, at camera: String) {
        let isThere = present[camera]?.values.contains { $0.individual?.label == name } ?? false
        let topic = device.topic(camera, "individual/\(HomeAssistantDevice.word(for: name, among: names()))")
        client.keep(MQTTMessage(topic, isThere ? "ON" : "OFF"))
    }

    private func known(_ name: String) -> Bool {
        let word = HomeAssistantDevice.word(for: name, among: names())
        return cameras.allSatisfy { !$0.isEnabled || announced?["\($0.id)_is_\(word)"] != nil }
    }

    private func count(_ camera: String) {
        let there = present[camera].map { Array($0.values) } ?? []
        var counts = ["animals": there.count]
        for sighting in there { counts[sighting.label.replacing(" ", with: "_"), default: 0] += 1 }
        client.keep(MQTTMessage(device.topic(camera, "count"), Array(json: counts)))
    }

    /// The time after which a connection that took a message was alive then. The client notices a dead one earlier.
    private var patience: Duration { .seconds(2 * client.options.keepAlive) }

    /// Announces the entities if they have changed. Home Assistant requires the removed ones first. They are told again
    /// on the next connection if this one may be dead.
    private func announce() {
        guard let discovery else { return }
        let names = names()
        let components = device.components(cameras, individuals: names)
        let connection = client.counts.connections
        let before = announced ?? [:]
        if before.keys.contains(where: { components[$0] == nil }) {
            told = nil
        } else if let told, told.connection == connection, told.at.duration(to: .now) > patience {
            gone = [:]
        }
        gone = gone.merging(before.mapValues(\.p)) { $1 }.filter { components[$0.key] == nil }
        let isToldOfGone = !gone.isEmpty && client.status == .connected && told?.connection != connection
        guard components != announced || isToldOfGone else { return }
        let topic = "\(discovery)/device/menagerie_\(device.id)/config"
        if isToldOfGone {
            client.pass(MQTTMessage(topic, device.payload(components, gone: gone), isRetained: true))
            told = (connection, .now)
        }
        announced = components
        // One might come too early for Home Assistant.
        repetitions = 2
        // A device without cameras is removed.
        client.keep(MQTTMessage(topic, components.isEmpty ? [] : device.payload(components), isRetained: true))
        for camera in cameras where camera.isEnabled {
            for name in names { tellPresence(of: name, at: camera.id) }
        }
    }

    private struct Busy: Error {}

    private func post(_ message: MQTTMessage) async {
        do {
            try await pool.run(whenFull: { _ in Busy() as any Error }) { [client] () throws(any Error) in
                try client.post(message)
            }
        } catch {
            logger.warning("A message cannot be kept for the MQTT broker", metadata: ["error": "\(error)"])
        }
    }
}
