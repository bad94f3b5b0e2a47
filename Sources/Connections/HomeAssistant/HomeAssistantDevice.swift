import Base
import Foundation

/// The description of the service for Home Assistant: one device with entities for its cameras (MQTT discovery for
/// devices, Home Assistant 2024.11 and later).
///
/// Source: https://www.home-assistant.io/integrations/mqtt/#device-discovery-payload
package struct HomeAssistantDevice: Sendable {
    /// Distinguishes this service from others at the same broker: letters, digits and `_`.
    let id: String
    /// The first level of all topics.
    let prefix: String
    let version: String
    /// The service's address for browsers, without a slash at its end. Nil if the operator has set none.
    let address: String?

    package init(id: String, prefix: String, version: String, address: String?) {
        (self.id, self.prefix, self.version, self.address) = (id, prefix, version, address)
    }

    /// One entity. Fields that are nil are not sent.
    struct Component: Encodable, Equatable {
        var p: String
        var uniqueID: String?
        var name: String?
        var stateTopic: String?
        var valueTemplate: String?
        var jsonAttributesTopic: String?
        var unitOfMeasurement: String?
        var stateClass: String?
        var deviceClass: String?
        var icon: String?
        var payloadOn: String?
        var payloadOff: String?
        var imageTopic: String?
        var contentType: String?
        var eventTypes: [String]?
    }

    private struct Payload: Encodable {
        struct Device: Encodable {
            let ids: [String]
            let name = "Menagerie"
            let mf = "Menagerie"
            let mdl = "Recogniser"
            let sw: String
            let cu: String?
        }
        struct Origin: Encodable {
            let name = "Menagerie"
            let sw: String
        }
        let dev: Device
        let o: Origin
        let availabilityTopic: String
        let cmps: [String: Component]
    }

    /// - Parameters:
    ///   - gone: removed entities of an earlier payload, with their platforms. They are announced as removed once.
    func payload(_ components: [String: Component], gone: [String: String] = [:]) -> [UInt8] {
        let removals = gone.mapValues { Component(p: $0) }
        let payload = Payload(
            dev: .init(ids: ["menagerie_\(id)"], sw: version, cu: address), o: .init(sw: version),
            availabilityTopic: "\(prefix)/available", cmps: components.merging(removals) { component, _ in component })
        return Array(json: payload, keys: .convertToSnakeCase)
    }

    /// The entities of all cameras.
    ///
    /// - Parameter individuals: the names of animals. Each has a sensor at each camera.
    func components(_ cameras: [Camera], individuals: [String]) -> [String: Component] {
        var components: [String: Component] = [:]
        for camera in cameras where camera.isEnabled {
            let (animal, count) = (topic(camera.id, "animal"), topic(camera.id, "count"))
            var own = [
                "animal": Component(
                    p: "sensor", name: "\(camera.name) last animal", stateTopic: animal,
                    valueTemplate: "{{ value_json.name }}", jsonAttributesTopic: animal, icon: "mdi:paw"),
                "confidence": Component(
                    p: "sensor", name: "\(camera.name) certainty", stateTopic: animal,
                    valueTemplate: "{{ (value_json.confidence * 100) | round(1) }}", unitOfMeasurement: "%",
                    stateClass: "measurement", icon: "mdi:percent"),
                "today": Component(
                    p: "sensor", name: "\(camera.name) last animal's visits today", stateTopic: animal,
                    valueTemplate: "{{ value_json.count_today }}", stateClass: "measurement", icon: "mdi:counter"),
                "count": Component(
                    p: "sensor", name: "\(camera.name) animals", stateTopic: count,
                    valueTemplate: "{{ value_json.animals }}", jsonAttributesTopic: count,
                    stateClass: "measurement", icon: "mdi:paw"),
                "picture": Component(
                    p: "image", name: "\(camera.name) last animal's picture",
                    imageTopic: topic(camera.id, "snapshot"), contentType: "image/jpeg"),
                "event": Component(
                    p: "event", name: "\(camera.name) sighting", stateTopic: topic(camera.id, "events"),
                    icon: "mdi:paw", eventTypes: ["seen", "left"]),
            ]
            for individual in individuals {
                let word = Self.word(for: individual, among: individuals)
                own["is_\(word)"] = Component(
                    p: "binary_sensor", name: "\(individual) at \(camera.name)",
                    stateTopic: topic(camera.id, "individual/\(word)"),
                    deviceClass: "occupancy", payloadOn: "ON", payloadOff: "OFF")
            }
            for (key, var component) in own {
                component.uniqueID = "menagerie_\(id)_\(camera.id)_\(key)"
                components["\(camera.id)_\(key)"] = component
            }
        }
        return components
    }

    /// The word for an animal in topics and ids. Names without a word of their own, such as two in Cyrillic letters,
    /// are told apart by a digest.
    static func word(for name: String, among names: [String]) -> String {
        let slug = CameraDraft.slug(name)
        guard names.contains(where: { $0 != name && CameraDraft.slug($0) == slug }) else { return slug }
        return slug + "_" + ContentDigest(of: Array(name.utf8)).description.prefix(8)
    }

    func topic(_ camera: String, _ rest: String) -> String { "\(prefix)/\(camera)/\(rest)" }
}
