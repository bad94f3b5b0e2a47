import Foundation
import Glibc

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

    /// The protocols that FFmpeg may use for an address. A network camera cannot make it open local files.
    static func protocols(for address: String) -> String {
        if address.hasPrefix("rtsp") { return "rtsp,rtsps,rtp,srtp,udp,tcp,tls,crypto" }
        if address.contains("://") { return "http,https,tcp,tls,crypto,hls" }
        return "file"
    }

    /// Reads an address from a descriptor, up to the longest allowed.
    static func read(from descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: longest)
        while bytes.count < longest {
            let count = Glibc.read(descriptor, &buffer, longest - bytes.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
