/// Accept-Encoding (RFC 9110 §12.5.3).
package enum AcceptEncoding {
    /// gzip where the client accepts it no less than the plain content, otherwise identity. That is also the answer when
    /// nothing the client accepts can be made.
    package static func coding(for headers: HeaderFields) -> ContentCoding {
        // Without the field a client may well be unable to decode anything.
        guard let list = WeightedList("Accept-Encoding", in: headers) else { return .identity }
        let gzip = weight("gzip", list) ?? weight("x-gzip", list) ?? weight("*", list) ?? 0
        guard gzip > 0 else { return .identity }
        // Identity is acceptable unless refused, but preferred only when it is named.
        let identity = weight("identity", list) ?? 0
        return gzip >= identity ? .gzip : .identity
    }

    private static func weight(_ coding: String, _ list: WeightedList) -> Int? {
        list.elements.first { $0.value == coding }?.quality
    }
}
