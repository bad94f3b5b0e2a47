import Foundation

/// The broker's address and this client's identity.
package struct MQTTOptions: Sendable, Hashable {
    package var host: String
    package var port: Int
    /// Whether the connection uses TLS and verifies the broker's certificate and name.
    package var isEncrypted = false
    /// The client's id. The broker disconnects an older client with the same id.
    package var clientID = "menagerie"
    package var user: String?
    package var password: String?
    /// A PEM file of trusted authorities. Nil uses the system's.
    package var authorities: String?
    /// Seconds of silence after which either side considers the connection lost.
    package var keepAlive = 30
    /// The first and the longest pause between two attempts to connect, in seconds.
    package var backOff = 1.0...60
    /// The message that the broker sends for this client if the connection breaks.
    package var will: MQTTMessage?

    /// The fault in an address, and what would be right.
    package struct AddressError: Error, CustomStringConvertible {
        package let description: String
    }
}

extension MQTTOptions {
    /// Whether MQTT can carry a text as the name of a topic or of a user (MQTT 3.1.1 §1.5.3). libmosquitto ends the
    /// connection for any other.
    package static func canCarry(_ text: String) -> Bool {
        text.utf8.count <= 65_535
            && text.unicodeScalars.allSatisfy {
                $0.properties.generalCategory != .control && !$0.properties.isNoncharacterCodePoint
            }
    }

    /// - Parameter address: `mqtt://host:1883` or `mqtts://host:8883`. The port is optional.
    /// - Throws: ``AddressError``. It never contains the address, which may hold a password.
    package init(address: String) throws(AddressError) {
        guard let url = URLComponents(string: address), let scheme = url.scheme?.lowercased(),
            ["mqtt", "mqtts"].contains(scheme), let host = url.host, !host.isEmpty, ["", "/"].contains(url.path),
            url.query == nil
        else {
            throw AddressError(description: "has to be an address such as mqtt://192.168.1.5:1883 or mqtts://host:8883")
        }
        guard url.user == nil, url.password == nil else {
            throw AddressError(
                description:
                    "must not hold a password, which would be shown; mqtt.user and mqtt.password_file are for it")
        }
        if let port = url.port, !(1...65535).contains(port) {
            throw AddressError(description: "has a port that is none; ports are 1 to 65535")
        }
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        self.init(host: bare, port: url.port ?? (scheme == "mqtts" ? 8883 : 1883), isEncrypted: scheme == "mqtts")
    }
}
