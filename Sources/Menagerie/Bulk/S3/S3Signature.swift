import Base
import Foundation

/// Signs requests without a body for S3 (AWS Signature Version 4,
/// <https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html>).
struct S3Signature {
    struct Credentials: Hashable {
        let accessKey: String
        let secretKey: String
        /// The token of temporary keys.
        let sessionToken: String?
    }

    private static let algorithm = "AWS4-HMAC-SHA256"
    private static let emptyBody = ContentDigest(of: [UInt8]()).hexadecimal

    let credentials: Credentials
    let region: String

    /// The header fields to send besides `Host`.
    ///
    /// - Parameters:
    ///   - path: escaped, with a leading slash.
    ///   - query: escaped names and values, sorted by name.
    ///   - more: further fields to sign, by lower-case names.
    func fields(
        host: String, path: String, query: [(name: String, value: String)],
        more: [String: String] = [:], date: Date = Date()
    ) -> [String: String] {
        let stamp = Self.stamp(date)
        let scope = "\(stamp.prefix(8))/\(region)/s3/aws4_request"
        var fields = more
        fields["x-amz-content-sha256"] = Self.emptyBody
        fields["x-amz-date"] = stamp
        fields["x-amz-security-token"] = credentials.sessionToken
        let signed = fields.merging(["host": host]) { $1 }.sorted { $0.key < $1.key }
        let names = signed.map(\.key).joined(separator: ";")
        let canonical = [
            "GET", path, query.map { "\($0.name)=\($0.value)" }.joined(separator: "&"),
            signed.map { "\($0.key):\($0.value)\n" }.joined(), names, Self.emptyBody,
        ].joined(separator: "\n")
        let text = [Self.algorithm, stamp, scope, ContentDigest(of: Array(canonical.utf8)).hexadecimal]
            .joined(separator: "\n")
        let key = scope.split(separator: "/").reduce(Array("AWS4\(credentials.secretKey)".utf8)) { key, part in
            MessageAuthentication.code(of: Array(part.utf8), key: key)
        }
        let signature = Hexadecimal.text(of: MessageAuthentication.code(of: Array(text.utf8), key: key))
        fields["authorization"] =
            "\(Self.algorithm) Credential=\(credentials.accessKey)/\(scope),SignedHeaders=\(names),Signature=\(signature)"
        return fields
    }

    /// `20130524T000000Z`
    private static func stamp(_ date: Date) -> String {
        String(date.rfc3339.prefix(19)).replacing("-", with: "").replacing(":", with: "") + "Z"
    }
}
