import Foundation

/// A message of MQTT (MQTT 3.1.1 §3.3).
package struct MQTTMessage: Sendable, Hashable {
    /// How hard a message tries to arrive (§4.3).
    package enum Delivery: Int32, Sendable, Codable {
        /// QoS 0: whoever is there hears it.
        case atMostOnce = 0
        /// QoS 1: it is sent until the broker has it.
        case atLeastOnce = 1
    }

    package var topic: String
    package var payload: [UInt8]
    package var delivery: Delivery
    /// Whether the broker keeps it for those who come later.
    package var isRetained: Bool

    package init(
        _ topic: String, _ payload: [UInt8], delivery: Delivery = .atMostOnce, isRetained: Bool = false
    ) {
        self.topic = topic
        self.payload = payload
        self.delivery = delivery
        self.isRetained = isRetained
    }

    package init(_ topic: String, _ text: String, delivery: Delivery = .atMostOnce, isRetained: Bool = false) {
        self.init(topic, Array(text.utf8), delivery: delivery, isRetained: isRetained)
    }
}

extension MQTTMessage {
    /// As it waits in a file.
    private struct Stored: Codable {
        var topic: String
        var payload: Data
        var retained: Bool
    }

    /// What an ``Outbox`` keeps of it.
    var stored: [UInt8] {
        let stored = Stored(topic: topic, payload: Data(payload), retained: isRetained)
        return Array((try? JSONEncoder().encode(stored)) ?? Data())
    }

    /// nil for a file that somebody else has written.
    init?(stored bytes: [UInt8]) {
        guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(bytes)) else { return nil }
        self.init(stored.topic, Array(stored.payload), delivery: .atLeastOnce, isRetained: stored.retained)
    }
}
