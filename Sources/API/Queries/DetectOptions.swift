import Base
import Encyclopaedia
import HTTP
import Recognition

/// The query of `POST /detect`.
struct DetectOptions: Sendable {
    let model: String?
    /// The least confidence; nil takes that of the model's manifest.
    let threshold: Float?
    /// The largest number of boxes in the answer.
    let limit: Int
    let tiles: TileChoice
    /// Whether the answer is the picture with the boxes drawn into it.
    let annotates: Bool
    let language: Language
    /// The names of all parameters.
    let parameters: [String]

    init(_ request: Request) throws {
        var reader = QueryReader(request)
        model = try reader.text("model")
        threshold = try reader.number("threshold", in: 0...1, "a number from 0 to 1, such as 0.5").map(Float.init)
        limit = try reader.integer("limit", in: 1...100, default: 20)
        let tilesRule = "auto or a whole number from 1 to \(Tiling.maximumCount)"
        tiles = try reader.value("tiles", tilesRule, Self.tiles) ?? .automatic
        let annotates = try reader.flag("annotate", default: false)
        language = try reader.language(of: request)
        try reader.finish()
        parameters = reader.known
        self.annotates = try annotates && Self.wantsPicture(request)
    }

    /// Reads `auto` or a number.
    private static func tiles(_ text: String) -> TileChoice? {
        guard text != "auto" else { return .automatic }
        return Int(decimal: text).flatMap { (1...Tiling.maximumCount).contains($0) ? .along($0) : nil }
    }

    /// Whether the client prefers a picture to JSON.
    private static func wantsPicture(_ request: Request) throws -> Bool {
        guard let type = Accept.best(of: [.jpeg, .json], for: request.headers) else {
            throw ProblemDetails(
                .notAcceptable, detail: "With annotate=true the answer is image/jpeg or application/json.")
        }
        return type == .jpeg
    }

    /// - Parameter priority: the priority of one look at the picture. A request with tiles gets a lower one.
    func recognition(priority: Priority, deadline: ContinuousClock.Instant) -> DetectionOptions {
        let hasManyLooks = tiles != .automatic && tiles != 1
        return DetectionOptions(
            threshold: threshold, limit: limit, tiles: tiles, priority: hasManyLooks ? .bulk : priority,
            deadline: deadline)
    }
}
