import Base
import Foundation
import Synchronization

/// Checks the targets of redirections. The operator chose only the first address. A server chooses the others, and may
/// try to reach what only this machine can.
///
/// A name is looked up once, and the connection goes to the checked address, whatever the name means a moment later.
/// With https the name itself stays, because the certificate is checked against it. A machine of the private network
/// has no certificate for a name that the server chose.
final class Redirection: Sendable {
    static let schemes: Set = ["http", "https"]
    private static let maximum = 5

    private let origin: URL
    private let allowsPrivate: Bool
    private let count = Atomic(0)
    private let lookUp: @Sendable (String) -> [NetworkAddress]?
    private let isPrivate: @Sendable (NetworkAddress) -> Bool

    /// - Parameters:
    ///   - origin: the original address.
    ///   - lookUp: returns the addresses of a name, or nil if there are none.
    init(
        from origin: URL, allowsPrivate: Bool,
        lookUp: @escaping @Sendable (String) -> [NetworkAddress]? = { NetworkAddress.all(of: $0) },
        isPrivate: @escaping @Sendable (NetworkAddress) -> Bool = { $0.isPrivate }
    ) {
        self.origin = origin
        self.allowsPrivate = allowsPrivate
        self.lookUp = lookUp
        self.isPrivate = isPrivate
    }

    /// The request to make for a redirection.
    enum Decision: Equatable {
        case refused(String)
        /// - `host`: the field of that name, if the address contains an IP address instead.
        case follow(URL, host: String?)
    }

    /// Decides about a redirection. Blocks while a name is looked up.
    func decide(_ url: URL?) -> Decision {
        guard let url, let scheme = url.scheme?.lowercased(), Self.schemes.contains(scheme), let host = url.host else {
            return .refused("only http and https are followed")
        }
        if origin.scheme?.lowercased() == "https", scheme != "https" {
            return .refused("that is not encrypted, as the first was")
        }
        guard count.wrappingAdd(1, ordering: .relaxed).newValue <= Self.maximum else {
            return .refused("that is once more than the \(Self.maximum) times that are followed")
        }
        let isOrigin = host == origin.host && url.port == origin.port && scheme == origin.scheme?.lowercased()
        if allowsPrivate || isOrigin { return .follow(url, host: nil) }
        guard let addresses = lookUp(host), let first = addresses.first else {
            return .refused("the name \(host) has no address")
        }
        guard !addresses.contains(where: isPrivate) else {
            return .refused("that is an address of this machine or of a private network; --allow-private follows it")
        }
        guard scheme == "http", var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            return .follow(url, host: nil)
        }
        // IPv4 comes first, because more machines can reach it.
        parts.host = (addresses.first(where: \.isVersion4) ?? first).urlHost
        guard let pinned = parts.url else { return .refused("its address cannot be written") }
        return .follow(pinned, host: url.port.map { "\(host):\($0)" } ?? host)
    }
}
