import Base
import Foundation

/// Addresses of cameras, which may hold a password.
package enum VideoAddress {
    /// The longest address, in bytes.
    package static let longest = 4096

    /// The address for display, without user, password and query, because some cameras take passwords there.
    package static func shown(_ address: String) -> String {
        guard let scheme = address.range(of: "://") else { return address }
        let rest = address[scheme.upperBound...]
        let authority = rest.prefix { !"/?#".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority
        let path = rest.dropFirst(authority.count)
        let plain = path.prefix { !"?#".contains($0) }
        let query = plain.count < path.count ? "?…" : ""
        return address[..<scheme.upperBound] + (host.count < authority.count ? "…@" : "") + host + plain + query
    }

    /// Whether a whole file lies there rather than live pictures.
    static func isFile(_ address: String) -> Bool { !address.contains("://") && !FileSystem.isDevice(address) }

    /// The protocols that FFmpeg may use for an address. A network camera cannot make it open local files.
    static func protocols(for address: String) -> String {
        if address.hasPrefix("rtsp") { return "rtsp,rtsps,rtp,srtp,udp,tcp,tls,crypto" }
        if address.contains("://") { return "http,https,tcp,tls,crypto,hls" }
        return "file"
    }
}
