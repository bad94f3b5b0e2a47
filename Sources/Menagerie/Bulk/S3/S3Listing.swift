import Base

/// A page of an answer to `ListObjectsV2` with `encoding-type=url`. The keys are escaped, so they contain no special
/// characters of XML.
struct S3Listing {
    let keys: [String]
    let isTruncated: Bool

    /// - Throws: ``S3Error/listing(_:)``.
    init(_ document: [UInt8], of prefix: S3Address) throws(S3Error) {
        guard let truncated = Self.text(in: document, "IsTruncated") else { throw .listing("\(prefix)") }
        isTruncated = truncated == "true"
        var keys: [String] = []
        var rest = document[...]
        while let key = Self.next("Key", in: &rest) {
            guard let decoded = PercentCoding.decode(key, plusIsSpace: true) else { throw .listing("\(prefix)") }
            keys.append(decoded)
        }
        self.keys = keys
    }

    /// The unparsed content of the first element with a name.
    static func text(in document: [UInt8], _ name: String) -> String? {
        var rest = document[...]
        return next(name, in: &rest).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func next(_ name: String, in rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let start = rest.firstRange(of: Array("<\(name)>".utf8)),
            let end = rest[start.upperBound...].firstRange(of: Array("</\(name)>".utf8))
        else { return nil }
        defer { rest = rest[end.upperBound...] }
        return rest[start.upperBound..<end.lowerBound]
    }
}

/// The address of an object of an S3-compatible store, or of a prefix: `s3://bucket/key`.
struct S3Address: Hashable, CustomStringConvertible {
    static let scheme = "s3://"

    let bucket: String
    /// The unescaped key. Empty for the whole bucket.
    let key: String

    init(bucket: String, key: String) {
        (self.bucket, self.key) = (bucket, key)
    }

    /// Nil if the text is the path of a file.
    init?(_ text: String) {
        guard text.hasPrefix(Self.scheme) else { return nil }
        let parts = text.dropFirst(Self.scheme.count).split(
            separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let bucket = parts.first, !bucket.isEmpty else { return nil }
        self.init(bucket: String(bucket), key: parts.count > 1 ? String(parts[1]) : "")
    }

    var description: String { "\(Self.scheme)\(bucket)/\(key)" }
}
