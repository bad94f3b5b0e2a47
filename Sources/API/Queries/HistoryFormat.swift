import HTTP

/// The formats of an exported history.
enum HistoryFormat: String, CaseIterable {
    /// One line per scan, for spreadsheets (RFC 4180).
    case csv
    /// One JSON object per line with all data, without photos.
    case jsonl
    /// The JSON lines and the photos.
    case zip
    /// Boxes in MegaDetector's format, for camera-trap programs. Photos have the names that they have in `zip`.
    case megadetector

    /// JSON lines have no registered media type. Most programs know this one.
    static let jsonLines = MediaType("application", "x-ndjson")

    var mediaType: MediaType {
        switch self {
        case .csv: .csv
        case .jsonl: Self.jsonLines
        case .zip: .zip
        case .megadetector: .json
        }
    }

    var fileExtension: String { self == .megadetector ? "json" : rawValue }
}
