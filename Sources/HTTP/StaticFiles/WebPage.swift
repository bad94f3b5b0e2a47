import Base
import Foundation

/// The web page: a folder of files. Each also has an address with its version, which may be cached for ever.
///
/// `index.html` writes `assets/-/app.js`, and the mark is replaced by the version of the whole folder. Modules and
/// stylesheets use relative addresses, so all of them carry the version. An old version's address gets the present
/// file, uncached, so that a page opened before an upgrade still works.
///
/// Stylesheets that `index.html` marks with `data-inline` are written into it, so that the first paint waits for
/// nothing else.
package struct WebPage: Sendable {
    /// The place of the version in `index.html`.
    private static let mark = "assets/-/"
    /// The time before the folder is examined again, so that a page can be edited while it is served.
    private static let freshness = Duration.seconds(1)

    private struct State {
        var version: String
        var checked: ContinuousClock.Instant
        /// The answer to `/`; nil without an `index.html`.
        var index: Index?
    }

    private struct Index {
        let representation: Representation
        /// The sums of the inlined stylesheets.
        let styles: [String]
    }

    private let directory: String
    private let files: StaticFiles
    private let lasting: StaticFiles
    private let state: Locked<State>

    /// - Parameter directory: a folder that contains `index.html`.
    package init(directory: String) throws {
        self.directory = directory
        files = try StaticFiles(path: directory)
        lasting = try StaticFiles(path: directory, cacheControl: "public, max-age=31536000, immutable")
        let version = Self.version(of: directory)
        state = Locked(
            State(version: version, checked: .now, index: Self.index(of: directory, version: version)))
    }

    /// - Parameter path: decoded and relative to the folder, without a slash at its start.
    package func response(to request: Request, path: String) -> Response {
        if path.isEmpty || path == "index.html" { return index(request) }
        let parts = path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "assets" else {
            return PageSecurity.protect(files.response(to: request, path: path))
        }
        let isPresent = parts[1] == current().version
        var response = (isPresent ? lasting : files).response(to: request, path: String(parts[2]))
        // Without this field a service worker could serve no address above its own.
        if parts[2] == "sw.js" { response.headers["Service-Worker-Allowed"] = "/" }
        return PageSecurity.protect(response)
    }

    private func index(_ request: Request) -> Response {
        guard let index = current().index else {
            return PageSecurity.protect(files.response(to: request, path: "index.html"))
        }
        return PageSecurity.protect(index.representation.response(to: request), styles: index.styles)
    }

    private func current() -> State {
        state.withLock { state in
            let now = ContinuousClock.now
            guard now - state.checked >= Self.freshness else { return state }
            state.checked = now
            let version = Self.version(of: directory)
            if version != state.version {
                (state.version, state.index) = (version, Self.index(of: directory, version: version))
            }
            return state
        }
    }

    private static func index(of directory: String, version: String) -> Index? {
        guard let text = try? String(contentsOfFile: directory + "/index.html", encoding: .utf8) else { return nil }
        var styles: [String] = []
        let stylesheet = /<link rel="stylesheet" href="assets\/-\/([^"]+)" data-inline>/
        let page = text.replacing(stylesheet) { match in
            guard let style = try? String(contentsOfFile: "\(directory)/\(match.output.1)", encoding: .utf8) else {
                return String(match.output.0)
            }
            styles.append(PageSecurity.sum(of: style))
            return "<style>\(style)</style>"
        }
        return Index(
            representation: Representation(
                .bytes(Array(page.replacingOccurrences(of: mark, with: "assets/\(version)/").utf8)),
                contentType: "text/html; charset=utf-8",
                validators: Validators(entityTag: EntityTag("page-" + version)),
                headers: ["Cache-Control": "no-cache"]),
            styles: styles)
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
