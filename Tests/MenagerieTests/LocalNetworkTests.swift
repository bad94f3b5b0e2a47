import Foundation
import HTTP
import TestSupport
import Testing

@testable import Menagerie

@Suite struct LocalNetworkTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// - Parameter names: the names in a certificate of another authority. With nil the service makes its own.
    private func network(certificateFor names: [String]?) async throws -> LocalNetwork {
        var flags = ["history.data_directory": folder.path + "/data"]
        if let names {
            let now = Int(Date().timeIntervalSince1970)
            let authority = try Certificate(name: "Zoo", purpose: .authority, issuer: nil, days: 100, now: now)
            let server = try Certificate(
                name: "zoo", purpose: .server(addresses: ["192.168.7.7"], names: names), issuer: authority, days: 90,
                now: now)
            #expect(server.names == names && authority.names.isEmpty)
            for (file, bytes, key) in [
                ("zoo.pem", server.pem, Settings.tlsCertificate.name), ("zoo.key", server.keyPEM, Settings.tlsKey.name),
            ] {
                try folder.write(bytes, file)
                flags[key] = "\(folder.path)/\(file)"
            }
        }
        return try await LocalNetwork(Settings(flags: flags), addresses: ["192.168.7.7", "fd00::7"])
    }

    private func code(_ url: String) throws -> String { try #require(QRCode(url)).text(isTerminal: false) }

    @Test func `addresses with a certificate of our own`() async throws {
        let network = try await network(certificateFor: nil)
        let text = network.welcome(port: 8443, isTerminal: false)
        #expect(text.contains("    https://192.168.7.7:8443/\n    https://[fd00::7]:8443/\n"), "\(text)")
        let key = try #require(network.newKey)
        #expect(
            text.contains(try code("https://192.168.7.7:8443/#key=\(key)")) && text.contains("The browser warns once"))
    }

    @Test func `the host names of a certificate of another authority`() async throws {
        let network = try await network(certificateFor: ["cats.zoo.example", "*.zoo.example", "localhost"])
        let text = network.welcome(port: 8443, isTerminal: false)
        #expect(text.contains("    https://cats.zoo.example:8443/\n"), "\(text)")
        #expect(!text.contains("192.168.7.7") && !text.contains("*") && !text.contains("warns"), "\(text)")
        let key = try #require(network.newKey)
        #expect(text.contains(try code("https://cats.zoo.example:8443/#key=\(key)")))
        #expect(try network.authority(Settings()) == nil)
    }

    @Test func `addresses where the certificate names no single host`() async throws {
        let text = try await network(certificateFor: ["*.zoo.example"]).welcome(port: 443, isTerminal: false)
        #expect(text.contains("    https://192.168.7.7:443/\n"), "\(text)")
    }

    @Test(.enabled(if: !LocalNetwork.machineAddresses().isEmpty))
    func `a start that fails shows the key that it made`() async throws {
        let arguments = [
            "serve", "--lan", "--data-dir", folder.path + "/data", "--set",
            "recognition.models_directory=\(folder.path)/none",
        ]
        let first = try await Program.menagerie.run(arguments)
        #expect(first.status == 1 && first.output.contains(/\n    menagerie_[A-Za-z0-9_-]{43}\n/), "\(first)")
        #expect(try await !Program.menagerie.run(arguments).output.contains("menagerie_"))
    }

    @Test func `a clock that starts in the past keeps the authority`() throws {
        let certificates = LocalCertificates(folder: folder.path)
        let built = 1_790_000_000
        func prepare(_ address: String, at seconds: Int) throws -> Bool {
            let now = Date(timeIntervalSince1970: TimeInterval(seconds))
            return try certificates.prepare(addresses: [address], names: [], now: now, built: built)
        }
        #expect(try prepare("192.168.7.7", at: built + 86_400))
        let authority = certificates.authority
        #expect(try !prepare("192.168.7.7", at: 0))
        #expect(try prepare("192.168.7.8", at: 0))
        #expect(authority != nil && certificates.authority == authority)
        let server = try #require(LocalCertificates.load(certificates.chainPath, certificates.keyPath))
        #expect(server.hasBegun(at: built + 86_400) && server.lasts(days: 300, after: built + 86_400))
        #expect(try !prepare("192.168.7.8", at: built + 86_400))
    }
}
