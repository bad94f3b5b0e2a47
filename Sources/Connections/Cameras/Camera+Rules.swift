import Base
import Foundation
import Imaging
import Video

extension CameraDraft {
    /// Makes a camera from a draft.
    ///
    /// - Parameter files: the folder of films that may replace cameras. Nil forbids them.
    func camera(id: String, files: String?) throws(CameraError) -> Camera {
        guard let name else { throw .invalid(field: "name", expected: Self.nameRule) }
        guard let url else { throw .invalid(field: "url", expected: CameraAddress.rule(files: files)) }
        let standard = Camera(
            id: id, name: name, url: url, looksPerSecond: Self.standardLooks, ignored: [], savesScans: true,
            isEnabled: true)
        return try changed(standard, files: files)
    }

    /// A copy of the camera with the draft's changes.
    func changed(_ camera: Camera, files: String?) throws(CameraError) -> Camera {
        var camera = camera
        if let name {
            guard Self.isName(name) else { throw .invalid(field: "name", expected: Self.nameRule) }
            camera.name = name
        }
        if let url { camera.url = url }
        if let looksPerSecond { camera.looksPerSecond = looksPerSecond }
        if let ignored { camera.ignored = ignored }
        if let savesScans { camera.savesScans = savesScans }
        if let isEnabled { camera.isEnabled = isEnabled }
        try Self.check(camera, files: files)
        return camera
    }

    private static let nameRule = "a text of 1 to \(nameLimit) characters without line breaks and control characters"

    private static func isName(_ name: String) -> Bool {
        (1...nameLimit).contains(name.count) && !name.unicodeScalars.contains { CharacterSet.steering.contains($0) }
            && name.contains { !$0.isWhitespace }
    }

    private static func check(_ camera: Camera, files: String?) throws(CameraError) {
        guard CameraAddress(camera.url, files: files) != nil else {
            throw .invalid(field: "url", expected: CameraAddress.rule(files: files))
        }
        guard looksRange.contains(camera.looksPerSecond) else {
            throw .invalid(
                field: "looks_per_second",
                expected: "a number from \(looksRange.lowerBound) to \(looksRange.upperBound)")
        }
        let isRegion = { (region: Camera.Region) in
            region.x >= 0 && region.y >= 0 && region.width > 0 && region.height > 0 && region.x + region.width <= 1.0001
                && region.y + region.height <= 1.0001
        }
        guard camera.ignored.count <= regionLimit, camera.ignored.allSatisfy(isRegion) else {
            throw .invalid(
                field: "ignored",
                expected: "a list of at most \(regionLimit) rectangles in fractions of the picture, such as "
                    + #"[{"x":0,"y":0,"width":0.2,"height":0.1}]"#)
        }
    }

    /// Converts a name to an id for topics and paths: `Front door` becomes `front_door`.
    static func slug(_ name: String) -> String {
        let plain = name.folding(options: [.diacriticInsensitive, .caseInsensitive], locale: Locale(identifier: "en"))
        let words = plain.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let slug = words.joined(separator: "_").prefix(40)
        return slug.isEmpty ? "x" : String(slug)
    }
}

enum CameraAddress: Equatable {
    /// RTSP, or motion JPEG or snapshots over HTTP.
    case network(String)
    /// A video device of this machine.
    case device(String)
    /// A film that replaces a camera.
    case file(String)

    /// Nil for any other text.
    ///
    /// - Parameter files: the folder of films that may replace cameras. Nil forbids them.
    init?(_ text: String, files: String?) {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
        if text.hasPrefix("/dev/video") {
            guard (1...3).contains(text.count - 10), text.dropFirst(10).allSatisfy({ $0.isASCII && $0.isNumber })
            else { return nil }
            self = .device(text)
        } else if text.hasPrefix("file:") {
            let name = String(text.dropFirst(5))
            guard let files, !name.isEmpty, !name.contains("/"), !name.hasPrefix(".") else { return nil }
            self = .file(files + "/" + name)
        } else {
            guard let url = URLComponents(string: text), let scheme = url.scheme,
                ["rtsp", "rtsps", "http", "https"].contains(scheme), let host = url.host, !host.isEmpty,
                (1...65_535).contains(url.port ?? 1)
            else { return nil }
            self = .network(text)
        }
    }

    static func rule(files: String?) -> String {
        "an address such as rtsp://user:password@192.168.1.20/stream, http://camera.local/video.mjpg or /dev/video0"
            + (files == nil ? "" : ", or file: and the name of a film in the folder of cameras.files")
    }
}
