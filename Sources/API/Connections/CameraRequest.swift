import Connections
import Foundation
import HTTP

/// The body of `POST /cameras` and of `PATCH /cameras/{id}`.
enum CameraRequest {
    private static let keys = ["name", "url", "looks_per_second", "ignored", "saves_scans", "enabled"]
    private static let example = #"{"name":"Porch","url":"rtsp://user:password@192.168.1.20/stream"}"#

    /// Reads the fields. Absent fields keep their value.
    ///
    /// - Throws: ``Problem`` (400) that names the field but not its value, which may contain a password.
    static func draft(_ body: [UInt8]) throws -> CameraDraft {
        guard let object = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] else {
            throw Problem(.malformedBody("The body has to be a JSON object such as \(example)."))
        }
        let unknown = object.keys.filter { !keys.contains($0) }.sorted()
        guard unknown.isEmpty else {
            throw Problem(
                .malformedBody(
                    "\(unknown.map { "“\($0.prefix(80))”" }.joined(separator: ", ")) is not known. "
                        + "Known here: \(keys.joined(separator: ", "))."))
        }
        func value<Value>(_ name: String, _ expected: String, _ read: (Any) -> Value?) throws -> Value? {
            guard let member = object[name] else { return nil }
            guard let value = read(member) else { throw invalid(name, expected) }
            return value
        }
        func truth(_ member: Any) -> Bool? { (member as? NSNumber).flatMap { $0.isTruth ? $0.boolValue : nil } }
        return CameraDraft(
            name: try value("name", "a text") { $0 as? String },
            url: try value("url", "a text") { $0 as? String },
            looksPerSecond: try value("looks_per_second", "a number") { member in
                (member as? NSNumber).flatMap { $0.isTruth ? nil : $0.doubleValue }
            },
            ignored: try value("ignored", #"a list such as [{"x":0,"y":0,"width":0.2,"height":0.1}]"#, regions),
            savesScans: try value("saves_scans", "true or false", truth),
            isEnabled: try value("enabled", "true or false", truth))
    }

    private static func regions(_ member: Any) -> [Camera.Region]? {
        guard let list = member as? [Any], list.count <= CameraDraft.regionLimit else { return nil }
        var regions: [Camera.Region] = []
        for entry in list {
            guard let object = entry as? [String: Any], Set(object.keys) == ["x", "y", "width", "height"] else {
                return nil
            }
            let numbers = ["x", "y", "width", "height"].compactMap { key in
                (object[key] as? NSNumber).flatMap { $0.isTruth ? nil : $0.doubleValue }
            }
            guard numbers.count == 4 else { return nil }
            regions.append(Camera.Region(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]))
        }
        return regions
    }

    static func invalid(_ field: String, _ expected: String) -> Problem {
        Problem(
            ProblemDetails(
                type: "/problems/invalid-value", title: "Invalid value", status: .badRequest,
                detail: "“\(field)” has to be \(expected).", extensions: ["field": .string(field)]))
    }
}
