package import Base
package import Foundation

/// One photo that was looked at, what was found out about it, and what people made of that.
///
/// Its JSON form (snake_case keys, RFC 3339 times in UTC) is what the stores keep and what an export contains.
@dynamicMemberLookup
package struct Scan: Hashable, Sendable, Identifiable {
    /// What the recognition found out. Its properties are the scan's as well; a correction does not change them.
    package var recognition: NewScan
    /// To the millisecond.
    package var createdAt: Date
    /// What a person wrote about it.
    package var note: String?
    /// What a person says that it really is: training material.
    package var correctedLabel: String?
    /// What the animal itself is called, such as Misu: what "who is this?" learns from.
    package var individual: String?
    /// Nil where the photo was not kept.
    package var photo: StoredPhoto?

    package var id: ULID { recognition.id }
    /// The model's likeliest label.
    package var label: String? { recognition.predictions.first?.label }
    /// What the animal is held to be: the corrected label, otherwise the model's likeliest.
    package var effectiveLabel: String? { correctedLabel ?? label }
    /// The content address of the stored copy.
    package var photoDigest: ContentDigest? { photo?.digest }

    package init(_ recognition: NewScan, photo: StoredPhoto? = nil) {
        self.recognition = recognition
        createdAt = recognition.id.date
        self.photo = photo
    }

    /// What was recognised, as if it were the scan's own.
    package subscript<Value>(dynamicMember property: WritableKeyPath<NewScan, Value>) -> Value {
        get { recognition[keyPath: property] }
        set { recognition[keyPath: property] = newValue }
    }
}

extension Scan {
    /// What the history holds once this scan was taken in where one of the same id is already; nil where that one is
    /// left alone.
    ///
    /// A deleted scan gives way but for its photo, which stays where this one brings none (JSON lines bring none). A
    /// scan that is there gets the photo that it lacks, and nothing else.
    /// - Parameter wasDeleted: whether the earlier one is deleted and can still be undone.
    func taken(over earlier: Scan, wasDeleted: Bool) -> Scan? {
        if wasDeleted {
            var scan = self
            scan.photo = photo ?? earlier.photo
            return scan
        }
        guard earlier.photo == nil, let photo else { return nil }
        var scan = earlier
        scan.photo = photo
        return scan
    }
}

extension Scan: Codable {
    /// Beside those of `NewScan`.
    private enum CodingKeys: String, CodingKey {
        case note, photo, label, individual
        case createdAt = "created_at"
        case correctedLabel = "corrected_label"
    }

    package init(from decoder: any Decoder) throws {
        recognition = try NewScan(from: decoder)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let time = try container.decode(String.self, forKey: .createdAt)
        guard let createdAt = Date(rfc3339: time) else {
            throw DecodingError.dataCorruptedError(
                forKey: .createdAt, in: container, debugDescription: "'\(time)' is not an RFC 3339 time")
        }
        self.createdAt = createdAt
        note = try container.decodeIfPresent(String.self, forKey: .note)
        correctedLabel = try container.decodeIfPresent(String.self, forKey: .correctedLabel)
        individual = try container.decodeIfPresent(String.self, forKey: .individual)
        photo = try container.decodeIfPresent(StoredPhoto.self, forKey: .photo)
    }

    package func encode(to encoder: any Encoder) throws {
        try recognition.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(createdAt.rfc3339, forKey: .createdAt)
        // For readers of an export only: reading takes it from the predictions.
        try container.encodeIfPresent(label, forKey: .label)
        try container.encodeIfPresent(note, forKey: .note)
        try container.encodeIfPresent(correctedLabel, forKey: .correctedLabel)
        try container.encodeIfPresent(individual, forKey: .individual)
        try container.encodeIfPresent(photo, forKey: .photo)
    }
}
