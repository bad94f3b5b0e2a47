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
