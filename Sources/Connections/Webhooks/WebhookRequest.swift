import Base
import Foundation

/// A request to a webhook, in the form in which it waits on the disk.
struct WebhookRequest: Codable, Equatable {
    /// The same for every attempt, so that the receiver can recognise a duplicate.
    var id: String
    /// Seconds since 1970.
    var made: Double
    var body: Data
    var headers: [String: String]

    init(_ event: SightingEvent, for hook: Webhook, address: String?) {
        id = ULID.next().description
        made = Date().timeIntervalSince1970
        let report = SightingReport(event, address: address)
        switch hook.form ?? .json {
        case .json:
            body = Data([UInt8](json: report))
            headers = ["Content-Type": "application/json"]
        case .ntfy:
            let sighting = event.sighting
            // ntfy takes the picture as the body and the text in header fields, which are ASCII or RFC 2047.
            body = Data(event.picture)
            let percent = Int(clamping: (sighting.certainty * 100).rounded())
            let verb = event.kind == .seen ? "is at" : "has left"
            headers = [
                "Content-Type": "image/jpeg", "Filename": "\(sighting.id).jpg",
                "Title": Self.encoded("\(sighting.name) \(verb) \(sighting.cameraName)"),
                "Message": Self.encoded("\(percent) % sure, visit \(sighting.countToday) today"),
                "Tags": ["cat": "cat", "dog": "dog"][sighting.label] ?? "paw_prints",
            ]
            if let photo = report.photo_url { headers["Click"] = photo }
        }
    }

    func request(_ hook: Webhook) -> WebRequest {
        var request = WebRequest(
            hook.url, method: hook.form == .ntfy ? "PUT" : "POST", fields: headers, body: Array(body))
        request.fields["Menagerie-Delivery"] = id
        if let token = hook.token { request.fields["Authorization"] = "Bearer \(token)" }
        if let secret = hook.secret {
            // The time is part of the signature, so that nobody can replay an old request.
            let time = String(Int(clamping: Date().timeIntervalSince1970))
            request.fields["Menagerie-Timestamp"] = time
            request.fields["Menagerie-Signature"] =
                "sha256=" + Self.signature(secret: secret, time: time, body: Array(body))
        }
        return request
    }

    /// The lower-case hexadecimal HMAC-SHA256 of the time, a full stop and the body.
    static func signature(secret: String, time: String, body: [UInt8]) -> String {
        Hexadecimal.text(of: MessageAuthentication.code(of: Array((time + ".").utf8) + body, key: Array(secret.utf8)))
    }

    /// Encodes text that is not plain ASCII (RFC 2047).
    private static func encoded(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        return "=?UTF-8?B?\(Data(text.utf8).base64EncodedString())?="
    }
}
