package import Foundation

/// One photo that was looked at, and everything that was found out about it.
///
/// Its JSON form (snake_case keys, RFC 3339 times in UTC) is what the stores keep and what an export contains.
package struct Scan: Hashable, Sendable, Identifiable {
    package var id: ULID
    /// To the millisecond.
    package var createdAt: Date
    /// What the model saw: `cat`, `dog`, `other` … A correction does not change it.
    package var species: String
    /// The head whose answers `predictions` are.
    package var head: String
    /// Likeliest first; may be empty.
    package var predictions: [Prediction]
    /// The top answers of every head that was asked for, by head.
    package var heads: [String: [Prediction]]
    /// The probability of each kind (`cat`, `dog`, `other`), 0…1.
    package var presence: [String: Double]
    /// Whether the model declined to commit itself.
    package var abstained: Bool
    package var message: String
    package var model: ScanModel
    package var image: ScanImage
    package var timing: ScanTiming
    /// Nil where nobody looked for boxes.
    package var boxes: [Box]?
    /// What a person wrote about it.
    package var note: String?
    /// What a person says that it really is: training material.
    package var correctedLabel: String?
    /// Nil where the photo was not kept.
    package var photo: StoredPhoto?

    /// The model's likeliest label.
    package var label: String? { predictions.first?.label }
    /// What the animal is held to be: the corrected label, otherwise the model's likeliest.
    package var effectiveLabel: String? { correctedLabel ?? label }
    /// The content address of the stored copy.
    package var photoDigest: ContentDigest? { photo?.digest }

    package init(_ scan: NewScan, photo: StoredPhoto? = nil) {
        id = scan.id
        createdAt = scan.id.date
        species = scan.species
        head = scan.head
        predictions = scan.predictions
        heads = scan.heads
        presence = scan.presence
        abstained = scan.abstained
        message = scan.message
        model = scan.model
        image = scan.image
        timing = scan.timing
        boxes = scan.boxes
        self.photo = photo
    }
}

extension Scan: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, species, head, predictions, heads, presence, abstained, message, model, image, timing, boxes, note
        case photo, label
        case createdAt = "created_at"
        case correctedLabel = "corrected_label"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(ULID.self, forKey: .id)
        let time = try container.decode(String.self, forKey: .createdAt)
        guard let createdAt = Date(rfc3339: time) else {
            throw DecodingError.dataCorruptedError(
                forKey: .createdAt, in: container, debugDescription: "'\(time)' is not an RFC 3339 time")
        }
        self.createdAt = createdAt
        species = try container.decode(String.self, forKey: .species)
        head = try container.decode(String.self, forKey: .head)
        predictions = try container.decode([Prediction].self, forKey: .predictions)
        heads = try container.decodeIfPresent([String: [Prediction]].self, forKey: .heads) ?? [:]
        presence = try container.decodeIfPresent([String: Double].self, forKey: .presence) ?? [:]
        abstained = try container.decode(Bool.self, forKey: .abstained)
        message = try container.decode(String.self, forKey: .message)
        model = try container.decode(ScanModel.self, forKey: .model)
        image = try container.decode(ScanImage.self, forKey: .image)
        timing = try container.decode(ScanTiming.self, forKey: .timing)
        boxes = try container.decodeIfPresent([Box].self, forKey: .boxes)
        note = try container.decodeIfPresent(String.self, forKey: .note)
        correctedLabel = try container.decodeIfPresent(String.self, forKey: .correctedLabel)
        photo = try container.decodeIfPresent(StoredPhoto.self, forKey: .photo)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(createdAt.rfc3339, forKey: .createdAt)
        try container.encode(species, forKey: .species)
        try container.encode(head, forKey: .head)
        // For readers of an export only: reading takes it from the predictions.
        try container.encodeIfPresent(label, forKey: .label)
        try container.encode(predictions, forKey: .predictions)
        try container.encode(heads, forKey: .heads)
        try container.encode(presence, forKey: .presence)
        try container.encode(abstained, forKey: .abstained)
        try container.encode(message, forKey: .message)
        try container.encode(model, forKey: .model)
        try container.encode(image, forKey: .image)
        try container.encode(timing, forKey: .timing)
        try container.encodeIfPresent(boxes, forKey: .boxes)
        try container.encodeIfPresent(note, forKey: .note)
        try container.encodeIfPresent(correctedLabel, forKey: .correctedLabel)
        try container.encodeIfPresent(photo, forKey: .photo)
    }
}
