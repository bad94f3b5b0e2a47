import HTTP

/// In which form the history is taken out.
enum HistoryFormat: String, CaseIterable {
    /// One line a scan, for spreadsheets (RFC 4180).
    case csv
    /// One JSON object a line with everything that is known, without photos.
    case jsonl
    /// The same lines and the photos.
    case zip
    /// Boxes as MegaDetector writes them, for programs of camera traps; photos have the names that they have in `zip`.
    case megadetector

    /// JSON lines have no registered type; this is the one that most programs know.
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
