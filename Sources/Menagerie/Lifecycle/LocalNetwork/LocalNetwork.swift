import API
import Base
import Foundation
import Glibc
import HTTP
import Logging
import Security

/// The setup of `menagerie serve --lan`, which lets phones in the local network reach the service.
struct LocalNetwork: Sendable {
    let certificates: LocalCertificates
    /// The addresses of this machine that others can reach, likeliest first.
    let addresses: [String]
    /// The host names in the operator's own certificate. Empty for a certificate that is made here, and for one that
    /// names no single host.
    let names: [String]
    /// The key that was made at this start. Nil if keys existed.
    let newKey: String?

    /// Makes the certificate and the key if they are missing. Prints the key, as the start may still fail.
    ///
    /// - Parameter addresses: the addresses of this machine, without loopback ones.
    /// - Throws: ``SettingsError`` without a network, or if the files cannot be made.
    init(_ settings: Settings, addresses: [String] = Self.machineAddresses()) async throws {
        guard !addresses.isEmpty else {
            throw SettingsError(
                "--lan: this machine has no address in a network. Connect it, or leave --lan out to serve this machine "
                    + "alone.")
        }
        self.addresses = addresses
        let certificate = LocalCertificates.load(settings[Settings.tlsCertificate], settings[Settings.tlsKey])
        names = (certificate?.names ?? []).filter { !$0.contains("*") && $0 != "localhost" }
        certificates = LocalCertificates(folder: try DataDirectory(settings).path + "/lan")
        do {
            _ = try certificates.prepare(addresses: addresses + ["127.0.0.1"], names: Self.machineNames)
            newKey =
                settings[Settings.open]
                ? nil : try await keyRepository(settings).createIfMissing("first", role: .admin)
        } catch {
            throw SettingsError("--lan: certificate and key cannot be made: \(error)")
        }
        guard let newKey else { return }
        print("\nThe first key, for an admin; it is shown only this once:\n\n    \(newKey)\n")
        fflush(nil)
    }

    /// The settings for a local network. Settings of the operator stay.
    func flags(_ settings: Settings) -> [String: String] {
        var flags: [String: String] = [:]
        if !settings.isSet(Settings.host) { flags[Settings.host.name] = "0.0.0.0" }
        if settings[Settings.tlsCertificate].isEmpty, settings[Settings.tlsKey].isEmpty {
            flags[Settings.tlsCertificate.name] = certificates.chainPath
            flags[Settings.tlsKey.name] = certificates.keyPath
            // A browser that must insist on HTTPS would offer no way past the warning.
            if !settings.isSet(Settings.hstsMaxAge) { flags[Settings.hstsMaxAge.name] = "0" }
        }
        return flags
    }

    /// The certificate that a phone must trust once. Nil if the operator's certificate is in use.
    func authority(_ settings: Settings) -> [UInt8]? {
        settings[Settings.tlsCertificate] == certificates.chainPath ? certificates.authority : nil
    }

    /// Renews the certificate while the service runs, and uses it for new connections. Returns when the task is
    /// cancelled.
    func renewCertificate(of server: Server, _ logger: Logger) async {
        while (try? await Task.sleep(for: .seconds(6 * 3600))) != nil {
            do {
                guard try renew() else { continue }
                try server.reloadCertificates()
                logger.notice("The certificate was renewed")
            } catch {
                logger.error("The certificate cannot be renewed", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Renews the certificate if it ends soon or the machine's addresses changed.
    /// - Returns: whether there is a new one.
    func renew() throws -> Bool {
        let now = Self.machineAddresses()
        return try certificates.prepare(
            addresses: (now.isEmpty ? addresses : now) + ["127.0.0.1"], names: Self.machineNames)
    }

    static var machineNames: [String] {
        let first = NetworkAddress.machineName?.split(separator: ".").first?.lowercased() ?? "localhost"
        let isName = first.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") }
        return (isName && first != "localhost" ? [first, "\(first).local"] : []) + ["localhost"]
    }

    /// The addresses of active interfaces, without loopback and link-local ones.
    static func machineAddresses() -> [String] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [String] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard entry.ifa_flags & UInt32(IFF_UP) != 0, let address = entry.ifa_addr else { continue }
            let family = CInt(address.pointee.sa_family)
            guard family == AF_INET || family == AF_INET6 else { continue }
            let length = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard getnameinfo(address, socklen_t(length), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            else { continue }
            let name = String(writtenInto: text)
            guard let parsed = NetworkAddress(name), !parsed.isLoopback, !name.hasPrefix("fe80:"), !name.contains("%"),
                !name.hasPrefix("169.254.")
            else { continue }
            found.append(name)
        }
        // IPv4 addresses come first, because people type them on a phone. Of these, bridges of containers
        // (172.16.0.0/12) come last.
        func rank(_ address: String) -> Int { address.contains(":") ? 2 : address.hasPrefix("172.") ? 1 : 0 }
        return found.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }.map(
            \.element)
    }
}

extension LocalNetwork {
    /// The text to print when the service listens: the address, also as a code for the phone's camera. The code has the
    /// new key.
    ///
    /// - Parameter isTerminal: whether to force white on black, so that a camera can read the code.
    func welcome(port: Int, isTerminal: Bool = isatty(STDOUT_FILENO) == 1) -> String {
        let urls = (names.isEmpty ? addresses : names).map { "https://\($0.contains(":") ? "[\($0)]" : $0):\(port)/" }
        guard let first = urls.first else { return "" }
        // The key is in the fragment, which a browser never sends.
        let scanned = newKey.map { "\(first)#key=\($0)" } ?? first
        var text = "\nMenagerie for the phones in this network:\n\n"
        for url in urls { text += "    \(url)\n" }
        if newKey == nil {
            text += "\nKeys were made before; `menagerie keys add NAME --role user` makes one more.\n"
        }
        if let code = QRCode(scanned) { text += "\n" + code.text(isTerminal: isTerminal) }
        guard names.isEmpty else { return text + "\nPoint the phone's camera at the code.\n" }
        return text + """

            Point the phone's camera at the code. The browser warns once, as it does not know this service yet; on the page,
            More, “This phone” tells how to have it trusted, so that live pictures work without a warning.

            """
    }
}
