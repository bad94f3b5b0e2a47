import Foundation
import HTTP
import Streams

/// A text message of a live client.
enum LiveCommand: Sendable {
    /// Settings to replace; nil restores the default.
    case settings([String: String?])
    case tap(Tap)
    case untap(String)
    /// Times the thing at this place by its appearance; nil times by the timer's label again.
    case point(Tap?)
    /// The recording time of the next frame, in milliseconds of the client's own clock.
    case frame(atMilliseconds: Double)
    /// Saves the frame of the last answer as a scan. With a tap, the scan is of what was tapped.
    case keep(tap: String?, note: String?)

    /// The longest message, in bytes.
    private static let maximumBytes = 65_536
    private static let types = ["settings", "tap", "untap", "point", "unpoint", "keep", "frame"]
    private static let malformed = ProblemDetails.malformedMessage

    /// - Throws: `ProblemDetails` that tells what is wrong with the message.
    init(_ text: String) throws {
        guard text.utf8.count <= Self.maximumBytes else {
            throw Self.malformed("A message has at most \(Self.maximumBytes) bytes; frames are binary messages.")
        }
        guard let object = JSON.object(in: Array(text.utf8)) else {
            throw Self.malformed(#"A text message is a JSON object such as {"type":"tap","id":"t1","x":0.4,"y":0.3}."#)
        }
        if let detail = JSON.repeated(in: Array(text.utf8)) { throw Self.malformed(detail) }
        guard let type = object["type"] as? String, Self.types.contains(type) else {
            throw Self.malformed("The “type” of a message is one of \(Self.types.joined(separator: ", ")).")
        }
        let members = object.filter { $0.key != "type" }
        switch type {
        case "settings": self = .settings(try Self.settings(members))
        case "tap": self = .tap(try Self.tap(members))
        case "untap":
            try Self.check(members, known: ["id"])
            self = .untap(try Self.id(members))
        case "point": self = .point(try Self.tap(members, id: ""))
        case "unpoint":
            try Self.check(members, known: [])
            self = .point(nil)
        case "frame":
            try Self.check(members, known: ["at_ms"])
            guard let time = JSON.number(members["at_ms"]), abs(time) < 1e15 else {
                throw Self.malformed(
                    "The “at_ms” of a frame is a number: milliseconds of your own clock, such as 1234.5.")
            }
            self = .frame(atMilliseconds: time)
        default:
            try Self.check(members, known: ["tap", "note"])
            guard members["note"] == nil || members["note"] is String || members["note"] is NSNull else {
                throw Self.malformed("The “note” is a text.")
            }
            let tap = members["tap"].flatMap { $0 is NSNull ? nil : $0 }
            self = .keep(tap: try tap.map { try Self.id(["id": $0]) }, note: members["note"] as? String)
        }
    }

    private static func settings(_ members: [String: Any]) throws -> [String: String?] {
        try check(members, known: LiveSettings.keys)
        return try members.reduce(into: [:]) { texts, member in
            switch member.value {
            case is NSNull: texts[member.key] = .some(nil)
            case let text as String: texts[member.key] = text
            case let list as [String]: texts[member.key] = list.joined(separator: ",")
            case let number as NSNumber:
                let whole = Int(exactly: number.doubleValue)
                texts[member.key] =
                    number.isTruth ? (number.boolValue ? "true" : "false") : whole.map(String.init) ?? "\(number)"
            default:
                throw malformed(
                    "The setting “\(member.key)” is a text, a number, a list of texts, true, false or null.")
            }
        }
    }

    /// - Parameter id: the id of a tap that needs none from the client; nil if the client gives one.
    private static func tap(_ members: [String: Any], id: String? = nil) throws -> Tap {
        try check(members, known: (id == nil ? ["id"] : []) + ["x", "y", "width", "height"])
        func fraction(_ name: String, default standard: Double? = nil) throws -> Double {
            if members[name] == nil, let standard { return standard }
            guard let value = JSON.number(members[name]), (0...1).contains(value) else {
                throw malformed("A tap's “\(name)” is a number from 0 to 1, a fraction of the upright picture.")
            }
            return value
        }
        let tap = Tap(
            id: try id ?? self.id(members), x: try fraction("x"), y: try fraction("y"),
            width: try fraction("width", default: 0),
            height: try fraction("height", default: 0))
        guard (tap.width > 0) == (tap.height > 0) else {
            throw malformed("A tapped region has a “width” and a “height” above 0; a point has neither.")
        }
        guard tap.x + tap.width <= 1.000_001, tap.y + tap.height <= 1.000_001 else {
            throw malformed("A tapped region lies within the picture: x + width and y + height are at most 1.")
        }
        return tap
    }

    private static func id(_ members: [String: Any]) throws -> String {
        guard let id = members["id"] as? String, (1...100).contains(id.utf8.count) else {
            throw malformed("A tap's “id” is a text of 1 to 100 bytes.")
        }
        return id
    }

    private static func check(_ members: [String: Any], known: [String]) throws {
        guard let (names, detail) = JSON.unknown(members, known: known) else { return }
        throw ProblemDetails.unknownSetting(
            detail, extensions: ["parameters": .array(names.map(JSONValue.string))])
    }
}

extension NSNumber {
    /// Whether the JSON value was `true` or `false`.
    var isTruth: Bool { String(cString: objCType) == "c" }
}
