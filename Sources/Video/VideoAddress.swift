import Foundation
import Glibc

/// Addresses of cameras, which may hold a password.
package enum VideoAddress {
    /// Bytes of one.
    package static let longest = 4096

    /// The address as anybody may read it: without user, password and query, where some cameras take their passwords.
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

    /// What FFmpeg may use to read it. A camera on the network refers to no file of this machine.
    static func protocols(for address: String) -> String {
        if address.hasPrefix("rtsp") { return "rtsp,rtsps,rtp,srtp,udp,tcp,tls,crypto" }
        if address.contains("://") { return "http,https,tcp,tls,crypto,hls" }
        return "file"
    }

    /// All that a descriptor holds, up to the longest address.
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
