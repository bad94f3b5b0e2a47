import Base
import Encyclopaedia
import HTTP
import History
import Imaging
import Recognition

/// The query of `POST /classify`.
struct ClassifyOptions: Sendable {
    /// Size of the largest head of our model, the objects.
    static let maximumTop = 1000

    let model: String?
    /// Predictions to answer.
    let top: Int
    /// nil: as the model's manifest says.
    let crop: CropPolicy?
    let saves: Bool
    /// The copy to keep; nil where nothing is saved.
    let copy: ClassificationOptions.StoredCopy?
    /// Several photos show one animal and get one answer.
    let fuses: Bool
    /// Whether the animals in the photo are listed, each with its box.
    let animals: AnimalSearch
    /// The mirrored photo has a say too.
    let usesMirror: Bool
    let language: Language
    /// Heads whose answers are shown beside the predictions; empty for all that the model has, nil for none.
    let heads: [String]?
    /// The one head that was asked for: it answers whatever the photo shows.
    let requestedHead: String?
    /// Heads that the model has to have.
    var requiredHeads: [String] { heads ?? [] }

    init(_ request: Request, defaults: MenagerieAPI.Options) throws {
        var reader = QueryReader(request)
        model = try reader.text("model")
        top = try reader.integer("top", in: 1...Self.maximumTop, default: 3)
        crop = try reader.choice("crop", of: CropPolicy.self)
        saves = try reader.flag("save", default: defaults.savesByDefault)
        let keepsMetadata = try reader.choice("metadata", of: Metadata.self).map { $0 == .keep }
        copy = saves ? .init(keepsMetadata: keepsMetadata ?? defaults.keepsMetadata) : nil
        fuses = try reader.flag("fuse", default: false)
        usesMirror = try reader.flag("mirror", default: false)
        animals = try reader.choice("animals", of: AnimalSearch.self) ?? .never
        language = try reader.language(of: request)
        let heads = try reader.text("heads").map(Self.heads)
        try reader.finish()
        if fuses, animals != .never {
            throw Problem(
                .invalidParameter(
                    "animals", value: animals.rawValue, expected: "left out with fuse=true, which is about one animal"))
        }
        self.heads = heads
        requestedHead = heads?.count == 1 ? heads?.first : nil
    }

    /// Tells requests apart: the same photos with the same options, in whatever form they came. The language is part of it
    /// however it was chosen, the model as it was named.
    func digest(with photos: [[UInt8]]) -> ContentDigest {
        var parts = [
            model ?? "", "\(top)", crop?.rawValue ?? "", "\(fuses)", "\(usesMirror)", language.rawValue,
            copy.map { "\($0.keepsMetadata)" } ?? "", heads.map { $0.joined(separator: ",") } ?? "none",
        ]
        // Keys of before there was a choice are those of requests that make none.
        if animals != .never { parts.append("animals \(animals.rawValue)") }
        parts += photos.map { ContentDigest(of: $0).hexadecimal }
        // Each part with its length, so that no two requests read the same.
        return ContentDigest(of: Array(parts.map { "\($0.utf8.count):\($0)" }.joined(separator: "\n").utf8))
    }

    /// What becomes of place, time and camera in the photo that is kept.
    private enum Metadata: String, CaseIterable {
        case strip, keep
    }

    /// Which heads there are is the model's business.
    static func heads(_ text: String) throws -> [String] {
        if text == "all" { return [] }
        let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard names.allSatisfy({ !$0.isEmpty }) else {
            throw Problem(
                .invalidParameter("heads", value: text, expected: "“all” or a list such as cats,dogs"))
        }
        return names
    }
}
