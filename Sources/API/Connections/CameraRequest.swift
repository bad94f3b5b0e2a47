import Connections
import Foundation
import HTTP
import Imaging

/// The body of `POST /cameras` and of `PATCH /cameras/{id}`.
enum CameraRequest {
    private static let keys = ["name", "url", "looks_per_second", "ignored", "saves_scans", "enabled"]
    private static let example = #"{"name":"Porch","url":"rtsp://user:password@192.168.1.20/stream"}"#

    /// Reads the fields. Absent fields keep their value.
    ///
    /// - Throws: `ProblemDetails` (400) that names the field but not its value, which may contain a password.
    static func draft(_ body: [UInt8]) throws -> CameraDraft {
        let object = try JSON.members(body, known: keys, example: example)
        func value<Value>(_ name: String, _ expected: String, _ read: (Any) -> Value?) throws -> Value? {
            guard let member = object[name] else { return nil }
            guard let value = read(member) else { throw ProblemDetails.invalidValue(name, expected: expected) }
            return value
        }
        func truth(_ member: Any) -> Bool? { (member as? NSNumber).flatMap { $0.isTruth ? $0.boolValue : nil } }
        var draft = CameraDraft.empty
        draft.name = try value("name", "a text") { $0 as? String }
        draft.url = try value("url", "a text") { $0 as? String }
        draft.looksPerSecond = try value("looks_per_second", "a number", JSON.number)
        draft.ignored = try value("ignored", #"a list such as [{"x":0,"y":0,"width":0.2,"height":0.1}]"#, regions)
        draft.savesScans = try value("saves_scans", "true or false", truth)
        draft.isEnabled = try value("enabled", "true or false", truth)
        return draft
    }

    private static func regions(_ member: Any) -> [Camera.Region]? {
        guard let list = member as? [Any], list.count <= CameraDraft.regionLimit else { return nil }
        var regions: [Camera.Region] = []
        for entry in list {
            guard let object = entry as? [String: Any], Set(object.keys) == ["x", "y", "width", "height"] else {
                return nil
            }
            let numbers = ["x", "y", "width", "height"].compactMap { JSON.number(object[$0]) }
            guard numbers.count == 4 else { return nil }
            regions.append(Camera.Region(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]))
        }
        return regions
    }
}
