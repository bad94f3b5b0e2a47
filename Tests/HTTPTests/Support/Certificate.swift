import Foundation

/// A self-signed certificate for localhost in a temporary folder, made by OpenSSL.
struct Certificate {
    let folder: URL

    var chainPath: String { folder.appending(path: "chain.pem").path }
    var keyPath: String { folder.appending(path: "key.pem").path }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "menagerie-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// - Parameter name: the subject's common name. The alternative name is always localhost.
    static func make(_ name: String = "first") async throws -> Certificate {
        let certificate = try Certificate()
        try await certificate.write(name)
        return certificate
    }

    /// Replaces the key and the certificate.
    func write(_ name: String) async throws {
        let result = try await Command.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", keyPath,
                "-out", chainPath,
            ])
        guard result.status == 0 else { throw Failure(output: result.output) }
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    struct Failure: Error {
        let output: String
    }
}
