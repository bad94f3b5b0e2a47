import Base
import Foundation
import HTTP

/// The web page: a folder of files, each also at an address that names its version and may be kept for ever.
///
/// `index.html` writes `assets/-/app.js`; the mark is replaced by the version of the whole folder. Modules and stylesheets
/// name each other relatively, so all of them carry it. A version that is not the present one gets the present file, which
/// then may not be kept: a page that was opened before an upgrade still works.
struct WebPage: Sendable {
    /// What stands in `index.html` for the version.
    private static let mark = "assets/-/"
    /// How long a version holds before the folder is looked at again, so that a page can be edited while it is served.
    private static let freshness = Duration.seconds(1)

    private struct State {
        var version: String
        var checked: ContinuousClock.Instant
    }

    private let directory: String
    private let files: StaticFiles
    private let lasting: StaticFiles
    private let state: Locked<State>

    /// - Parameter directory: holds `index.html`.
    init(directory: String) throws {
        self.directory = directory
        files = try StaticFiles(path: directory)
        lasting = try StaticFiles(
            path: directory, options: StaticFiles.Options(cacheControl: "public, max-age=31536000, immutable"))
        state = Locked(State(version: Self.version(of: directory), checked: .now))
    }

    /// - Parameter path: decoded, relative to the folder, without a slash at its start.
    func response(to request: Request, path: String) -> Response {
        if path.isEmpty || path == "index.html" { return PageSecurity.protect(index(request)) }
        let parts = path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "assets" else {
            return PageSecurity.protect(files.response(to: request, path: path))
        }
        let isPresent = parts[1] == currentVersion()
        return PageSecurity.protect((isPresent ? lasting : files).response(to: request, path: String(parts[2])))
    }

    private func index(_ request: Request) -> Response {
        guard let text = try? String(contentsOfFile: directory + "/index.html", encoding: .utf8) else {
            return files.response(to: request, path: "index.html")
        }
        let version = currentVersion()
        let page = text.replacingOccurrences(of: Self.mark, with: "assets/\(version)/")
        return Representation(
            .bytes(Array(page.utf8)), contentType: "text/html; charset=utf-8",
            validators: Validators(entityTag: EntityTag("page-" + version)), headers: ["Cache-Control": "no-cache"]
        ).response(to: request)
    }

    private func currentVersion() -> String {
        state.withLock { state in
            let now = ContinuousClock.now
            if now - state.checked >= Self.freshness {
                state = State(version: Self.version(of: directory), checked: now)
            }
            return state.version
        }
    }

    /// Twelve hexadecimal digits that change with any file's name, size or time.
    private static func version(of directory: String) -> String {
        let files = FileManager.default
        let lines = (files.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []).sorted().map { path in
            let attributes = try? files.attributesOfItem(atPath: directory + "/" + path)
            let size = (attributes?[.size] as? NSNumber)?.int64Value ?? 0
            let changed = (attributes?[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
            return "\(path) \(size) \(changed)"
        }
        return String(ContentDigest(of: Array(lines.joined(separator: "\n").utf8)).description.prefix(12))
    }
}
