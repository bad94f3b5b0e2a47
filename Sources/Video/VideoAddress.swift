import Base
import Foundation

/// Addresses of cameras, which may hold a password.
package enum VideoAddress {
    /// The longest address, in bytes.
    package static let longest = 4096

    /// The address for display, without user, password, query and values in the path, because some cameras take
    /// passwords there: `/user=anna&password=geheim`.
    package static func shown(_ address: String) -> String {
        guard let scheme = address.range(of: "://") else { return address }
        let rest = address[scheme.upperBound...]
        let authority = rest.prefix { !"/?#".contains($0) }
        let path = rest[authority.endIndex...].prefix { !"?#=".contains($0) }
        let plain = rest[..<path.endIndex]
        // A password with a slash ends the authority too early, so the path may hold its end.
        let host = plain.split(separator: "@", omittingEmptySubsequences: false).last ?? plain
        let hidden = path.endIndex == rest.endIndex ? "" : rest[path.endIndex] == "=" ? "=…" : "?…"
        return address[..<scheme.upperBound] + (host.count < plain.count ? "…@" : "") + host + hidden
    }

    /// Whether a whole file lies there rather than live pictures.
    package static func isFile(_ address: String) -> Bool { !address.contains("://") && !FileSystem.isDevice(address) }

    /// The protocols that FFmpeg may use for an address. A network camera cannot make it open local files.
    static func protocols(for address: String) -> String {
        if address.hasPrefix("rtsp") { return "rtsp,rtsps,rtp,srtp,udp,tcp,tls,crypto" }
        if address.contains("://") { return "http,https,tcp,tls,crypto,hls" }
        return "file"
    }
}
