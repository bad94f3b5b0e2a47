import Base
import Foundation
import Testing

@testable import Menagerie

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Addresses, signatures and lists of S3-compatible stores. `Scripts/test bulk` tests a real store.
struct S3Tests {
    /// The example in Amazon's documentation (sig-v4-header-based-auth.html), with its key, bucket and time.
    private let signature = S3Signature(
        credentials: S3Signature.Credentials(
            accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", sessionToken: nil),
        region: "us-east-1")
    private let host = "examplebucket.s3.amazonaws.com"
    private let date = Date(timeIntervalSince1970: 1_369_353_600)

    private func code(_ fields: [String: String]) -> Substring? {
        fields["authorization"]?.split(separator: "Signature=").last
    }

    @Test func `an object is asked for with the signature of the documentation`() throws {
        let fields = signature.fields(
            host: host, path: "/test.txt", query: [], more: ["range": "bytes=0-9"], date: date)
        #expect(code(fields) == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
        #expect(fields["x-amz-date"] == "20130524T000000Z")
        #expect(
            fields["authorization"]?.hasPrefix(
                "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
                    + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=") == true)
    }

    @Test func `a list is asked for with the signature of the documentation`() {
        let fields = signature.fields(
            host: host, path: "/", query: [("max-keys", "2"), ("prefix", "J")], date: date)
        #expect(code(fields) == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
    }

    @Test func `odd letters are signed as botocore signs them`() throws {
        let path = "/zoo/p%C3%A4iv%C3%A4%201/a%2Bb%20%26%20c%281%29%21%2A%27.jpg"
        let signature = S3Signature(credentials: signature.credentials, region: "eu-north-1")
        let fields = signature.fields(host: "127.0.0.1:9000", path: path, query: [], date: date)
        #expect(code(fields) == "a40b24181e163d3357b7fff08d1b35666e8696cd03e408cf7771c2da36d7555a")
    }

    @Test func `keys for a while send their token, signed`() {
        let signature = S3Signature(
            credentials: S3Signature.Credentials(accessKey: "a", secretKey: "b", sessionToken: "c"),
            region: "eu-north-1")
        let fields = signature.fields(host: host, path: "/", query: [], date: date)
        #expect(fields["x-amz-security-token"] == "c")
        #expect(fields["authorization"]?.contains("x-amz-date;x-amz-security-token,") == true)
    }

    @Test func `addresses have a bucket and the beginning of a key`() {
        #expect(S3Address("s3://zoo/2026/cat.jpg") == S3Address(bucket: "zoo", key: "2026/cat.jpg"))
        #expect(S3Address("s3://zoo") == S3Address(bucket: "zoo", key: ""))
        #expect(S3Address("s3://zoo//a")?.description == "s3://zoo//a")
        for other in ["zoo/cat.jpg", "/s3://zoo", "s3://", "s3:///cat.jpg", "S3://zoo"] {
            #expect(S3Address(other) == nil)
        }
    }

    @Test func `lists are read key by key`() throws {
        let prefix = S3Address(bucket: "zoo", key: "")
        let page = try S3Listing(
            Array(
                """
                <?xml version="1.0"?><ListBucketResult><Name>zoo</Name><IsTruncated>true</IsTruncated>
                <Contents><Key>a%26b/p%C3%A4iv%C3%A4+1%2B.jpg</Key><Size>1</Size></Contents>
                <Contents><Key>b.jpg</Key></Contents></ListBucketResult>
                """.utf8), of: prefix)
        #expect(page.keys == ["a&b/päivä 1+.jpg", "b.jpg"])
        #expect(page.isTruncated)
        #expect(throws: S3Error.listing("s3://zoo/")) { try S3Listing(Array("<html>".utf8), of: prefix) }
        #expect(throws: S3Error.listing("s3://zoo/")) {
            try S3Listing(Array("<IsTruncated>false</IsTruncated><Key>%zz</Key>".utf8), of: prefix)
        }
    }

    @Test(arguments: [
        ("http://gate:9000", "http://gate:9000/zoo/a/b%20c"), ("https://gate:443/", "https://gate/zoo/a/b%20c"),
        ("http://[::1]:9000", "http://[::1]:9000/zoo/a/b%20c"),
        ("http://gate/store", "http://gate/store/zoo/a/b%20c"), ("http://gate/store/", "http://gate/store/zoo/a/b%20c"),
    ])
    func `the endpoint may have a port and a path`(_ endpoint: String, _ address: String) throws {
        let store = try S3Store(environment: ["AWS_ENDPOINT_URL": endpoint], limit: 1, connections: 1)
        #expect(try store.request("zoo", key: "a/b c", query: [], upTo: 1).url.absoluteString == address)
    }

    @Test func `half a key and an invalid address are refused`() {
        #expect(throws: S3Error.halfOfAKey) {
            try S3Store(environment: ["AWS_ACCESS_KEY_ID": "a"], limit: 1, connections: 1)
        }
        #expect(throws: S3Error.endpoint("s3.example")) {
            try S3Store(environment: ["AWS_ENDPOINT_URL": "s3.example"], limit: 1, connections: 1)
        }
    }
}
