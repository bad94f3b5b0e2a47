import Base
import Foundation
import HTTP

/// The certificate of a service in its own network, with the small authority that signs it: both are kept in a folder that
/// the owner only reads. The authority is what phones trust, once; the server's certificate is made anew when its end is
/// near or the machine has other addresses.
struct LocalCertificates: Sendable {
    /// Phones take no certificate of a server that lasts longer than 398 days (Apple, HT211025); this is a day less.
    static let serverDays = 397
    static let authorityDays = 3650
    /// One that ends sooner than this is made anew.
    static let renewalDays = 30

    let folder: String

    var chainPath: String { folder + "/server.pem" }
    var keyPath: String { folder + "/server.key" }
    private var authorityPath: String { folder + "/authority.pem" }
    private var authorityKeyPath: String { folder + "/authority.key" }

    /// The authority's certificate in DER, which phones download; nil where there is none yet.
    var authority: [UInt8]? { load(authorityPath, authorityKeyPath)?.der }

    /// Sees to it that there are certificates for these addresses and names.
    ///
    /// - Returns: whether the server's certificate is another than before.
    /// - Throws: ``TLSError``, `FileError`.
    func prepare(addresses: [String], names: [String], now: Date = Date()) throws -> Bool {
        let seconds = Int(clamping: now.timeIntervalSince1970)
        let kept = load(authorityPath, authorityKeyPath)
        let authority: Certificate
        // It has to outlive what it signs.
        if let kept, kept.isValid(at: seconds, forDays: Self.serverDays) {
            authority = kept
        } else {
            authority = try Certificate(
                name: "Menagerie at \(names.first ?? "home")", purpose: .authority, issuer: nil,
                days: Self.authorityDays, now: seconds)
            try DurableFile.replace(authorityKeyPath, with: authority.keyPEM)
            try DurableFile.replace(authorityPath, with: authority.pem)
        }
        if let server = load(chainPath, keyPath), server.isSigned(by: authority),
            server.isValid(at: seconds, forDays: Self.renewalDays), server.serves(addresses: addresses, names: names)
        {
            return false
        }
        let server = try Certificate(
            name: addresses.first ?? "localhost", purpose: .server(addresses: addresses, names: names),
            issuer: authority, days: Self.serverDays, now: seconds)
        try DurableFile.replace(keyPath, with: server.keyPEM)
        try DurableFile.replace(chainPath, with: server.pem + authority.pem)
        return true
    }

    /// Nil where one of the files is missing or damaged: then it is made anew.
    private func load(_ path: String, _ keyPath: String) -> Certificate? {
        guard let pem = FileManager.default.contents(atPath: path),
            let key = FileManager.default.contents(atPath: keyPath)
        else { return nil }
        return try? Certificate(pem: [UInt8](pem), keyPEM: [UInt8](key))
    }
}
