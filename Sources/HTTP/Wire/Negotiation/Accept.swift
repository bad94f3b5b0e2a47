/// Accept (RFC 9110 §12.5.1).
package enum Accept {
    /// The offer that the client prefers, or nil if it accepts none. Among equals the earlier wins. Without the field
    /// it is the first offer.
    package static func best(of offers: [MediaType], for headers: HeaderFields) -> MediaType? {
        guard let list = WeightedList("Accept", in: headers), !list.elements.isEmpty else { return offers.first }
        var best: (offer: MediaType, quality: Int)?
        for offer in offers {
            let quality = quality(of: offer, list)
            if quality > best?.quality ?? 0 { best = (offer, quality) }
        }
        return best?.offer
    }

    /// The weight of the most specific range that matches the offer; 0 if no range does.
    private static func quality(of offer: MediaType, _ list: WeightedList) -> Int {
        var best = (specificity: -1, quality: 0)
        for range in list.elements {
            guard let specificity = specificity(of: range, offer), specificity > best.specificity else { continue }
            best = (specificity, range.quality)
        }
        return best.quality
    }

    /// 0 for `*/*`, 1 for `type/*`, 2 for `type/subtype`, more for each parameter; nil if the range does not match.
    private static func specificity(of range: WeightedList.Element, _ offer: MediaType) -> Int? {
        if range.value == "*/*" { return 0 }
        if range.value == "\(offer.type)/*" { return 1 }
        guard range.value == offer.essence else { return nil }
        for parameter in range.parameters {
            guard offer.parameter(parameter.name)?.lowercased() == parameter.value.lowercased() else { return nil }
        }
        return 2 + range.parameters.count
    }
}

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
