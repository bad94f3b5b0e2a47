import Base
import Encyclopaedia
import HTTP
import Imaging
import Recognition
import Storage

/// The query of `POST /classify`.
struct ClassifyOptions: Sendable {
    /// The largest `top`. A longer answer hardly ever exists, because labels below 0.05 % are left out.
    static let maximumTop = 1000
    /// The longest side of an original photo, in pixels.
    private static let longestSide = 65_535

    let model: String?
    /// The number of predictions in the answer.
    let top: Int
    /// The crop; nil takes that of the model's manifest.
    let crop: CropPolicy?
    let saves: Bool
    /// The copy to store; nil if nothing is saved.
    let copy: ClassificationOptions.StoredCopy?
    /// Whether several photos show one animal and get one answer.
    let fuses: Bool
    /// Whether the animals in the photo are listed, each with its box.
    let animals: AnimalSearch
    /// The size of the (first) photo before the client made it smaller.
    let original: ScanImage.Size?
    /// Whether the mirrored photo is classified too.
    let usesMirror: Bool
    let language: Language
    /// The heads shown beside the predictions; empty for all heads of the model, nil for none.
    let heads: [String]?
    /// A single requested head, which answers whatever the photo shows.
    let requestedHead: String?
    /// The names of all parameters.
    let parameters: [String]

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
        original = try reader.value(
            "original", "width and height from 1 to \(Self.longestSide), such as 4000x3000", Self.size)
        language = try reader.language(of: request)
        let heads = try reader.heads()
        try reader.finish()
        parameters = reader.known
        if fuses, animals != .never {
            throw ProblemDetails.invalidParameter(
                "animals", value: animals.rawValue, expected: "left out with fuse=true, which is about one animal")
        }
        self.heads = heads
        requestedHead = heads?.count == 1 ? heads?.first : nil
    }

    /// A digest of photos and options that tells requests apart, whatever the form of the upload. It includes the
    /// language however it was chosen, and the model as the request names it.
    func digest(with photos: [[UInt8]]) -> ContentDigest {
        var parts = [
            model ?? "", "\(top)", crop?.rawValue ?? "", "\(fuses)", "\(usesMirror)", language.rawValue,
            copy.map { "\($0.keepsMetadata)" } ?? "", heads.map { $0.joined(separator: ",") } ?? "none",
        ]
        // The default adds nothing, so that keys from before this option stay valid.
        if animals != .never { parts.append("animals \(animals.rawValue)") }
        if let original { parts.append("original \(original.width)x\(original.height)") }
        parts += photos.map { ContentDigest(of: $0).hexadecimal }
        // Each part has its length, so that no two requests give the same text.
        return ContentDigest(of: Array(parts.map { "\($0.utf8.count):\($0)" }.joined(separator: "\n").utf8))
    }

    /// The treatment of place, time and camera in the stored photo.
    private enum Metadata: String, CaseIterable {
        case strip, keep
    }

    private static func size(_ text: String) -> ScanImage.Size? {
        let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int(decimal: $0) ?? 0 }
        guard sides.count == 2, sides.allSatisfy((1...longestSide).contains) else { return nil }
        return ScanImage.Size(width: sides[0], height: sides[1])
    }
}

extension QueryReader {
    /// The names of heads; empty for all. Only the model knows which heads exist.
    mutating func heads() throws -> [String]? {
        try value("heads", "“all” or a list such as cats,dogs") { text in
            if text == "all" { return [] }
            let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            return names.contains("") ? nil : names
        }
    }
}
