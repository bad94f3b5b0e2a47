import Foundation

/// A message of MQTT (MQTT 3.1.1 §3.3).
package struct MQTTMessage: Sendable, Hashable {
    /// The quality of service (§4.3).
    package enum Delivery: Int32, Sendable, Codable {
        /// QoS 0: sent once, without acknowledgement.
        case atMostOnce = 0
        /// QoS 1: sent until the broker acknowledges it.
        case atLeastOnce = 1
    }

    package var topic: String
    package var payload: [UInt8]
    package var delivery: Delivery
    /// Whether the broker stores it for later subscribers.
    package var isRetained: Bool

    package init(_ topic: String, _ payload: [UInt8], delivery: Delivery = .atMostOnce, isRetained: Bool = false) {
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
    /// The format of a message in a file.
    private struct Stored: Codable {
        var topic: String
        var payload: Data
        var retained: Bool
    }

    /// The bytes for an ``Outbox``.
    var stored: [UInt8] {
        Array(json: Stored(topic: topic, payload: Data(payload), retained: isRetained))
    }

    /// Nil for a file of another program.
    init?(stored bytes: [UInt8]) {
        guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(bytes)) else { return nil }
        self.init(stored.topic, Array(stored.payload), delivery: .atLeastOnce, isRetained: stored.retained)
    }
}
