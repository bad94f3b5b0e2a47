/// Accept-Encoding (RFC 9110 §12.5.3).
package enum AcceptEncoding {
    /// gzip if the client accepts it at least as much as plain content, otherwise identity. It is identity too if the
    /// client accepts no coding that the server can make.
    package static func coding(for headers: HeaderFields) -> ContentCoding {
        // A client that sends no such field may be unable to decode anything.
        guard let list = WeightedList("Accept-Encoding", in: headers) else { return .identity }
        let gzip = weight("gzip", list) ?? weight("x-gzip", list) ?? weight("*", list) ?? 0
        guard gzip > 0 else { return .identity }
        // Identity is acceptable unless refused, but a client prefers it only by naming it.
        let identity = weight("identity", list) ?? 0
        return gzip >= identity ? .gzip : .identity
    }

    private static func weight(_ coding: String, _ list: WeightedList) -> Int? {
        list.elements.first { $0.value == coding }?.quality
    }
}
