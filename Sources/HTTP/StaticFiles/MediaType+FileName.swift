extension MediaType {
    /// The type that a file's extension stands for, or `application/octet-stream` if it is unknown.
    package init(fileName: String) {
        let bytes = fileName.utf8
        let dot = bytes.lastIndex(of: UInt8(ascii: "."))
        let name = dot.map { String(fileName[bytes.index(after: $0)...]).lowercased() } ?? ""
        self = Self.byExtension[name] ?? .octetStream
    }

    private static let byExtension: [String: MediaType] = {
        let texts = [
            "html": "html", "htm": "html", "css": "css", "js": "javascript", "mjs": "javascript", "csv": "csv",
            "txt": "plain", "md": "markdown", "xml": "xml", "ics": "calendar", "vtt": "vtt",
        ]
        let others = [
            "json": ("application", "json"), "map": ("application", "json"), "jsonl": ("application", "x-ndjson"),
            "webmanifest": ("application", "manifest+json"), "wasm": ("application", "wasm"),
            "pdf": ("application", "pdf"), "zip": ("application", "zip"), "gz": ("application", "gzip"),
            "tar": ("application", "x-tar"), "onnx": ("application", "octet-stream"),
            "svg": ("image", "svg+xml"), "png": ("image", "png"), "jpg": ("image", "jpeg"), "jpeg": ("image", "jpeg"),
            "gif": ("image", "gif"), "webp": ("image", "webp"), "avif": ("image", "avif"), "heic": ("image", "heic"),
            "ico": ("image", "x-icon"), "bmp": ("image", "bmp"), "tif": ("image", "tiff"), "tiff": ("image", "tiff"),
            "woff": ("font", "woff"), "woff2": ("font", "woff2"), "ttf": ("font", "ttf"), "otf": ("font", "otf"),
            "mp4": ("video", "mp4"), "webm": ("video", "webm"), "mov": ("video", "quicktime"),
            "mp3": ("audio", "mpeg"), "ogg": ("audio", "ogg"), "wav": ("audio", "wav"),
        ]
        let utf8 = Parameter(name: "charset", value: "utf-8")
        return texts.mapValues { MediaType("text", $0, parameters: [utf8]) }
            .merging(others.mapValues { MediaType($0.0, $0.1) }) { first, _ in first }
    }()
}
