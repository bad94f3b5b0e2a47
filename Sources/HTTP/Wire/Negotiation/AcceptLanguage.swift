/// Accept-Language (RFC 9110 §12.5.4).
package enum AcceptLanguage {
    /// The language to answer in, by the lookup of RFC 4647 §3.4. Each range, the most wanted first, is shortened from
    /// its end until it is available.
    /// - Parameter available: language tags in lower case, such as `en` and `fi`; the first is the default.
    /// - Returns: nil only if `available` is empty.
    package static func lookup(_ available: [String], for headers: HeaderFields) -> String? {
        guard let list = WeightedList("Accept-Language", in: headers) else { return available.first }
        let refused = Set(list.elements.filter { $0.quality == 0 }.map(\.value))
        // This sort keeps the field's order among equals.
        let wanted = list.elements.enumerated()
            .filter { $0.element.quality > 0 }
            .sorted { ($1.element.quality, $0.offset) < ($0.element.quality, $1.offset) }
            .map(\.element.value)
        for range in wanted {
            if range == "*" {
                if let other = available.first(where: { !refused.contains($0) }) { return other }
                continue
            }
            var subtags = range.split(separator: "-")
            while !subtags.isEmpty {
                let tag = subtags.joined(separator: "-")
                if available.contains(tag), !refused.contains(tag) { return tag }
                subtags.removeLast()
                // A single letter or digit introduces the next subtag and never ends a tag.
                if subtags.count > 1, subtags.last?.utf8.count == 1 { subtags.removeLast() }
            }
        }
        return available.first { !refused.contains($0) } ?? available.first
    }
}
