/// The values by which the selected representation is recognised (RFC 9110 §8.8).
package struct Validators: Hashable, Sendable {
    package var entityTag: EntityTag?
    package var lastModified: HTTPDate?

    package init(entityTag: EntityTag? = nil, lastModified: HTTPDate? = nil) {
        self.entityTag = entityTag
        self.lastModified = lastModified
    }
}

/// The conditions a request sets (RFC 9110 §13).
package enum Preconditions {
    /// The result of the conditions.
    package enum Outcome: Hashable, Sendable {
        case proceed
        /// Answer 304.
        case notModified
        /// Answer 412.
        case failed
    }

    /// The answer to a request with a false condition.
    package static let failure = ProblemDetails(
        .preconditionFailed, detail: "The representation is not in the state that the request names.")

    /// Evaluates all conditions except If-Range in the order of §13.2.2.
    /// - Parameter validators: nil if there is no current representation.
    package static func evaluate(
        method: Method, headers: HeaderFields, validators: Validators?
    ) -> Outcome {
        if let list = EntityTagList("If-Match", in: headers) {
            guard matches(list, validators, { $0.stronglyMatches($1) }) else { return .failed }
        } else if let limit = date("If-Unmodified-Since", headers), let modified = validators?.lastModified {
            guard modified <= limit else { return .failed }
        }
        let isRead = method == .get || method == .head
        if let list = EntityTagList("If-None-Match", in: headers) {
            if matches(list, validators, { $0.weaklyMatches($1) }) { return isRead ? .notModified : .failed }
        } else if isRead, let since = date("If-Modified-Since", headers), let modified = validators?.lastModified {
            if modified <= since { return .notModified }
        }
        return .proceed
    }

    /// Whether a Range field counts. It does if If-Range is absent or names the current state by strong comparison
    /// (§13.1.5).
    /// - Parameter now: a modification date is a strong validator only if it is at least a second old (§8.8.2.2).
    package static func honoursRange(headers: HeaderFields, validators: Validators, now: HTTPDate = .now) -> Bool {
        let values = headers.values(for: "If-Range")
        guard let value = values.first else { return true }
        guard values.count == 1 else { return false }
        if let tag = EntityTag(parsing: value) {
            return validators.entityTag.map { $0.stronglyMatches(tag) } ?? false
        }
        guard let date = HTTPDate(value, now: now), let modified = validators.lastModified else { return false }
        return date == modified && modified < now
    }

    private static func matches(
        _ list: EntityTagList, _ validators: Validators?, _ compare: (EntityTag, EntityTag) -> Bool
    ) -> Bool {
        guard let validators else { return false }
        switch list {
        case .any: return true
        case .tags(let tags):
            guard let current = validators.entityTag else { return false }
            return tags.contains { compare($0, current) }
        }
    }

    /// The field's date; nil, so ignored, if it is absent, repeated or not a date (§13.1.3, §13.1.4).
    private static func date(_ name: String, _ headers: HeaderFields) -> HTTPDate? {
        let values = headers.values(for: name)
        return values.count == 1 ? HTTPDate(values[0]) : nil
    }
}

extension HeaderFields {
    /// Whether a field could change the answer from a plain 200: `If-…` or `Range`. The test looks at first letters
    /// alone, so that a request without such fields costs one pass.
    var mayBeConditional: Bool {
        lines.contains { line in
            let name = bytes[Int(line.nameStart)..<Int(line.nameStart + line.nameLength)]
            guard name.count >= 5, let first = name.first else { return false }
            switch ByteClass.lowercased(first) {
            case UInt8(ascii: "i"): return name.dropFirst(2).first == UInt8(ascii: "-")
            case UInt8(ascii: "r"): return name.count == 5
            default: return false
            }
        }
    }
}
