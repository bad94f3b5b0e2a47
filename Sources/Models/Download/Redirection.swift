import Base
import Foundation

/// Where a server may send us on to. The operator chose the first address; every other one is the server's choice, and may
/// be meant to reach what only this machine can.
///
/// A name that has another address the next time that it is asked for is not caught: what comes has to have the right
/// checksum all the same.
final class Redirection: Sendable {
    static let schemes: Set = ["http", "https"]
    private static let maximum = 5

    private let origin: URL
    private let allowsPrivate: Bool
    private let count = Locked(0)

    /// - Parameter origin: the address that was asked for.
    init(from origin: URL, allowsPrivate: Bool) {
        self.origin = origin
        self.allowsPrivate = allowsPrivate
    }

    /// Why we do not go there; nil where we do. Blocks while a name is looked up.
    func objection(to url: URL?) -> String? {
        guard let url, let scheme = url.scheme?.lowercased(), Self.schemes.contains(scheme), let host = url.host else {
            return "only http and https are followed"
        }
        if origin.scheme?.lowercased() == "https", scheme != "https" {
            return "that is not encrypted, as the first was"
        }
        guard
            count.withLock({ count in
                count += 1
                return count <= Self.maximum
            })
        else { return "that is once more than the \(Self.maximum) times that are followed" }
        let isOrigin = host == origin.host && url.port == origin.port && scheme == origin.scheme?.lowercased()
        if allowsPrivate || isOrigin { return nil }
        guard let addresses = HostAddresses.addresses(of: host) else { return "the name \(host) has no address" }
        guard !addresses.contains(where: HostAddresses.isPrivate) else {
            return "that is an address of this machine or of a private network; --allow-private follows it"
        }
        return nil
    }
}
