import Testing

@testable import Connections

@Suite struct MQTTOptionsTests {
    @Test func anAddressNamesHostPortAndEncryption() throws {
        let plain = try MQTTOptions(address: "mqtt://broker.local")
        #expect(plain.host == "broker.local" && plain.port == 1883 && !plain.isEncrypted)
        let secure = try MQTTOptions(address: "mqtts://[::1]:9999/")
        #expect(secure.host == "::1" && secure.port == 9999 && secure.isEncrypted)
        #expect(try MQTTOptions(address: "mqtts://a").port == 8883)
    }

    @Test(arguments: [
        "", "broker", "http://a", "mqtt://", "mqtt://a/topic", "mqtt://a?x=1", "mqtt://a:0", "mqtt://a:99999",
    ])
    func otherAddressesAreRefused(address: String) {
        #expect(throws: MQTTOptions.AddressError.self) { try MQTTOptions(address: address) }
    }

    @Test func aPasswordInAnAddressIsRefusedAndNotRepeated() throws {
        let error = try #require(throws: MQTTOptions.AddressError.self) {
            try MQTTOptions(address: "mqtt://anna:geheim@host")
        }
        #expect(!error.description.contains("geheim"))
        #expect(error.description.contains("mqtt.password_file"))
    }

    @Test(arguments: [
        ("frigate/events", "frigate/events", true), ("a/+/c", "a/b/c", true), ("a/+/c", "a/b/d", false),
        ("a/#", "a/b/c", true), ("a/b", "a/b/c", false), ("a/b/c", "a/b", false), ("#", "x", true),
    ])
    func filtersMatchTopics(filter: String, topic: String, matches: Bool) {
        #expect(MQTTClient.matches(filter, topic) == matches)
    }

    @Test func aStoredMessageComesBack() throws {
        let message = MQTTMessage("a/b", [0, 255, 10], delivery: .atLeastOnce, isRetained: true)
        #expect(MQTTMessage(stored: message.stored) == message)
        #expect(MQTTMessage(stored: Array("{}".utf8)) == nil)
    }
}
