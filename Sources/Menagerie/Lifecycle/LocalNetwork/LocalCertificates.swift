import Base
import Foundation
import HTTP

/// The certificate for the local network and the small authority that signs it, in a folder that only the owner can
/// read. Phones trust the authority once. The server's certificate is renewed when it is about to expire or when the
/// machine's addresses change.
struct LocalCertificates: Sendable {
    /// Phones reject server certificates that last longer than 398 days (Apple, HT211025). This is a day less.
    static let serverDays = 397
    static let authorityDays = 3650
    /// A certificate with fewer days left is renewed.
    static let renewalDays = 30

    let folder: String

    var chainPath: String { folder + "/server.pem" }
    var keyPath: String { folder + "/server.key" }
    private var authorityPath: String { folder + "/authority.pem" }
    private var authorityKeyPath: String { folder + "/authority.key" }

    /// The authority's certificate in DER, which phones download. Nil if there is none yet.
    var authority: [UInt8]? { Self.load(authorityPath, authorityKeyPath)?.der }

    /// Makes or renews the certificates for these addresses and names.
    ///
    /// - Parameter built: when this program was built, in seconds since 1970. A clock before that is wrong, as on a
    ///   Raspberry Pi at its start. The authority, which phones trust, must not be replaced because of it.
    /// - Returns: whether the server's certificate changed.
    /// - Throws: ``TLSError``, `FileError`.
    func prepare(
        addresses: [String], names: [String], now: Date = Date(),
        built: Int = FileSystem.attributes(AssetLocator.executable.path)?.modified ?? 0
    ) throws -> Bool {
        let clock = Int(clamping: now.timeIntervalSince1970)
        let seconds = max(clock, built)
        func isValid(_ certificate: Certificate, days: Int) -> Bool {
            (clock < built || certificate.hasBegun(at: seconds)) && certificate.lasts(days: days, after: seconds)
        }
        let kept = Self.load(authorityPath, authorityKeyPath)
        let authority: Certificate
        // The authority must outlive the certificates that it signs.
        if let kept, isValid(kept, days: Self.serverDays) {
            authority = kept
        } else {
            authority = try Certificate(
                name: "Menagerie at \(names.first ?? "home")", purpose: .authority, issuer: nil,
                days: Self.authorityDays, now: seconds)
            try DurableFile.replace(authorityKeyPath, with: authority.keyPEM)
            try DurableFile.replace(authorityPath, with: authority.pem)
        }
        if let server = Self.load(chainPath, keyPath), server.isSigned(by: authority),
            isValid(server, days: Self.renewalDays), server.serves(addresses: addresses, names: names)
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

    /// The certificate. Nil if a file is missing or damaged.
    static func load(_ path: String, _ keyPath: String) -> Certificate? {
        guard let pem = FileManager.default.contents(atPath: path),
            let key = FileManager.default.contents(atPath: keyPath)
        else { return nil }
        return try? Certificate(pem: [UInt8](pem), keyPEM: [UInt8](key))
    }
}
