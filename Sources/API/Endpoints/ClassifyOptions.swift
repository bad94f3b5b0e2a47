import Encyclopaedia
import HTTP
import Imaging
import Recognition

/// The query of `POST /classify`.
struct ClassifyOptions: Sendable {
    /// Everything a model can be asked for.
    static let headNames = ["presence", "cats", "dogs", "zoo", "objects", "fruit"]

    let model: String?
    /// Predictions to answer.
    let top: Int
    let crop: CropPolicy
    let saves: Bool
    /// Several photos show one animal and get one answer.
    let fuses: Bool
    let language: Language
    /// Heads whose answers are shown beside the predictions; nil for none.
    let heads: [String]?
    /// The one head that was asked for: it answers whatever the photo shows.
    let requestedHead: String?

    init(_ request: Request, savesByDefault: Bool) throws {
        var reader = QueryReader(request)
        model = try reader.text("model")
        top = try reader.integer("top", in: 1...100, default: 3)
        crop = try reader.choice("crop", of: CropPolicy.self) ?? .center
        saves = try reader.flag("save", default: savesByDefault)
        fuses = try reader.flag("fuse", default: false)
        language = try reader.language(of: request)
        let heads = try reader.text("heads").map(Self.heads)
        try reader.finish()
        self.heads = heads
        requestedHead = heads?.count == 1 ? heads?.first : nil
    }

    private static func heads(_ text: String) throws -> [String] {
        if text == "all" { return headNames }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        for name in names where !headNames.contains(name) {
            throw Problem(
                .invalidParameter(
                    "heads", value: text, expected: "“all” or a list of \(headNames.joined(separator: ", "))"))
        }
        return names
    }
}
