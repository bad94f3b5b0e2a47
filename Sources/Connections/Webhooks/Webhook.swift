import Base
package import Foundation

/// An address that receives sightings, with its filters.
package struct Webhook: Sendable, Equatable, Decodable {
    package enum Form: String, Sendable, Decodable {
        /// The sighting as JSON.
        case json
        /// A text with a picture, for ntfy (https://docs.ntfy.sh/publish/).
        case ntfy
    }

    /// Times of day, such as `22:00`. The end may be on the next day.
    package struct Quiet: Sendable, Equatable, Decodable {
        var from: String
        var to: String

        /// Minutes since midnight. Nil for an invalid time.
        static func minutes(_ text: String) -> Int? {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ (1...2).contains($0.count) && $0.allSatisfy(\.isNumber) }),
                let hour = Int(parts[0]), let minute = Int(parts[1]), (0...24).contains(hour), (0...59).contains(minute)
            else { return nil }
            return hour * 60 + minute
        }

        func contains(_ date: Date, calendar: Calendar) -> Bool {
            guard let begin = Self.minutes(from), let end = Self.minutes(to) else { return false }
            let parts = calendar.dateComponents([.hour, .minute], from: date)
            let now = (parts.hour ?? 0) * 60 + (parts.minute ?? 0)
            return begin <= end ? (begin..<end).contains(now) : now >= begin || now < end
        }
    }

    /// The name of its folder of waiting requests, and in the log: letters, digits, `_` and `-`.
    package var name: String
    package var url: URL
    package var form: Form?
    /// The key that signs the body. Nil sends no signature.
    package var secret: String?
    /// Sent as `Authorization: Bearer`.
    package var token: String?
    /// `seen`, `left`. Nil means `seen`.
    package var events: [String]?
    package var individuals: [String]?
    /// Labels or breeds.
    package var labels: [String]?
    package var cameras: [String]?
    package var least_confidence: Double?
    package var quiet: Quiet?
    /// At most one message per animal and camera in this many seconds. Nil means 60.
    package var every_s: Double?
    /// After this many seconds an undelivered request is dropped. Nil means a day.
    package var give_up_after_s: Double?

    /// Whether the filters accept an event. The limit of messages per time is checked elsewhere.
    ///
    /// - Parameter calendar: decides about quiet hours. Nil takes the service's.
    func wants(_ event: SightingEvent, calendar: Calendar? = nil) -> Bool {
        let sighting = event.sighting
        func fits(_ wanted: [String]?, _ values: [String?]) -> Bool {
            guard let wanted else { return true }
            return values.contains { value in wanted.contains { $0.lowercased() == value?.lowercased() } }
        }
        return (events ?? ["seen"]).contains(event.kind.rawValue) && fits(individuals, [sighting.individual?.label])
            && fits(labels, [sighting.label, sighting.breed?.label]) && fits(cameras, [sighting.camera])
            && sighting.certainty >= least_confidence ?? 0
            && !(quiet?.contains(sighting.last, calendar: calendar ?? .local(at: sighting.last)) ?? false)
    }
}

package enum WebhookFile {
    /// The fault in the file. It never contains a secret.
    package struct Problem: Error, CustomStringConvertible {
        package let description: String
    }

    private static let keys: Set<String> = [
        "name", "url", "form", "secret", "token", "events", "individuals", "labels", "cameras", "least_confidence",
        "quiet", "every_s", "give_up_after_s",
    ]

    /// - Parameter bytes: a JSON list. Comments are allowed.
    package static func read(_ bytes: [UInt8]) throws(Problem) -> [Webhook] {
        let decoder = JSONDecoder()
        decoder.allowsJSON5 = true
        let hooks: [Webhook]
        let objects: [[String: AnyKey]]
        do {
            objects = try decoder.decode([[String: AnyKey]].self, from: Data(bytes))
            hooks = try decoder.decode([Webhook].self, from: Data(bytes))
        } catch let DecodingError.keyNotFound(key, context) {
            throw Problem(description: "entry \(place(context)) has no “\(key.stringValue)”")
        } catch let DecodingError.typeMismatch(_, context) where !context.codingPath.isEmpty {
            throw Problem(description: "\(place(context)) has a value of the wrong kind")
        } catch let DecodingError.dataCorrupted(context) {
            let isJSON = !context.codingPath.isEmpty
            throw Problem(description: isJSON ? "\(place(context)) has a value that cannot be" : "it is not JSON")
        } catch {
            throw Problem(description: "it is not a list of webhooks")
        }
        for (index, object) in objects.enumerated() {
            if let stranger = object.keys.sorted().first(where: { !keys.contains($0) }) {
                throw Problem(
                    description:
                        "entry \(index) has the unknown key “\(stranger)”; known are \(keys.sorted().joined(separator: ", "))"
                )
            }
        }
        var names: Set<String> = []
        for hook in hooks {
            let isName =
                (1...40).contains(hook.name.count)
                && hook.name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
            guard isName, names.insert(hook.name).inserted else {
                throw Problem(description: "names have 1 to 40 letters, digits, _ or -, and each stands once")
            }
            guard hook.url.isHTTP, hook.url.user() == nil else {
                throw Problem(
                    description:
                        "\(hook.name): “url” has to be an http or https address without a password; “token” is for it")
            }
            guard hook.secret != "", hook.token != "" else {
                throw Problem(description: "\(hook.name): “secret” and “token” must not be empty")
            }
            guard ![hook.events, hook.individuals, hook.labels, hook.cameras].contains([]) else {
                throw Problem(description: "\(hook.name): an empty list fits no sighting; leave it out")
            }
            guard (hook.events ?? []).allSatisfy({ ["seen", "left"].contains($0) }) else {
                throw Problem(description: "\(hook.name): “events” are seen and left")
            }
            if let quiet = hook.quiet,
                Webhook.Quiet.minutes(quiet.from) == nil || Webhook.Quiet.minutes(quiet.to) == nil
            {
                throw Problem(
                    description: "\(hook.name): “quiet” has to be such as {\"from\":\"22:00\",\"to\":\"07:00\"}")
            }
            guard (0...1).contains(hook.least_confidence ?? 0), (0...86_400).contains(hook.every_s ?? 60),
                (1...2_592_000).contains(hook.give_up_after_s ?? 86_400)
            else {
                throw Problem(
                    description:
                        "\(hook.name): least_confidence is 0 to 1, every_s 0 to 86400, give_up_after_s 1 to 2592000")
            }
        }
        return hooks
    }

    private static func place(_ context: DecodingError.Context) -> String {
        context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }

    /// Any value: only the keys matter.
    private struct AnyKey: Decodable {
        init(from decoder: any Decoder) throws {}
    }
}
