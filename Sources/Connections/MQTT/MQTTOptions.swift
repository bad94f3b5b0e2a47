import Foundation

/// Which broker is spoken to, and as whom.
package struct MQTTOptions: Sendable, Hashable {
    package var host: String
    package var port: Int
    /// Whether the connection is encrypted, and the broker has to show a certificate for its name.
    package var isEncrypted: Bool
    /// Names this client to the broker: another one of the same name would be cut off.
    package var clientID: String
    package var user: String?
    package var password: String?
    /// PEM file of those who may vouch for the broker; nil: the system's.
    package var authorities: String?
    /// Seconds without a word after which either side takes the other for gone.
    package var keepAlive: Int
    /// Seconds between two tries to connect, at first and at most.
    package var backOff: ClosedRange<Double>
    /// What the broker says on our behalf when we are gone.
    package var will: MQTTMessage?

    package init(
        host: String, port: Int, isEncrypted: Bool = false, clientID: String = "menagerie", keepAlive: Int = 30,
        backOff: ClosedRange<Double> = 1...60
    ) {
        self.host = host
        self.port = port
        self.isEncrypted = isEncrypted
        self.clientID = clientID
        self.keepAlive = keepAlive
        self.backOff = backOff
    }

    /// What is wrong with an address, and what would be right.
    package struct AddressError: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameter address: `mqtt://host:1883` or `mqtts://host:8883`; the port may be left out.
    /// - Throws: ``AddressError``, which never repeats the address: somebody may have put a password into it.
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
