/// The host and scheme of a request as a trusted proxy received it. They come from the last element of `Forwarded` (RFC
/// 7239 §5.3, §5.4) or, without that field, from `X-Forwarded-Host` and `X-Forwarded-Proto`.
package struct Forwarding: Hashable, Sendable {
    /// `name[:port]`.
    package let host: String?
    /// `http` or `https`, in lower case.
    package let scheme: String?

    init(_ headers: HeaderFields) {
        let forwarded = headers.values(for: "Forwarded")
        guard forwarded.isEmpty else {
            let element = WeightedList.elements(of: forwarded).last
            host = element.flatMap { Self.value("host=", of: $0) }
            scheme = element.flatMap { Self.value("proto=", of: $0) }?.lowercased()
            return
        }
        host = Self.last("X-Forwarded-Host", headers)
        scheme = Self.last("X-Forwarded-Proto", headers)?.lowercased()
    }

    /// - Parameters:
    ///   - name: a parameter in lower case, with its equals sign.
    ///   - element: an element of `Forwarded`.
    static func value(_ name: String, of element: ArraySlice<UInt8>) -> String? {
        let pair = WeightedList.split(element, at: UInt8(ascii: ";")).first {
            $0.prefix(name.utf8.count).map(ByteClass.lowercased).elementsEqual(name.utf8)
        }
        return pair.map { WeightedList.unquoted($0.dropFirst(name.utf8.count)) }
    }

    private static func last(_ name: String, _ headers: HeaderFields) -> String? {
        headers.values(for: name).last.flatMap { line in
            WeightedList.elements(of: [line]).last.map { String(decoding: $0, as: UTF8.self) }
        }
    }
}

extension Request {
    /// The values from the proxy before this server; nil without a trusted proxy.
    package var forwarded: Forwarding? {
        transport.contains(.trustedPeer) ? Forwarding(headers) : nil
    }

    /// Whether the client's own connection is encrypted, as far as this server or a trusted proxy can tell.
    package var isSecure: Bool {
        transport.contains(.tls) || forwarded?.scheme == "https"
    }
}
