package import Base
package import Foundation

/// One recognised photo, the result, and what people added to it.
///
/// Its JSON form (snake_case keys, RFC 3339 times in UTC) is what the stores keep and what an export contains.
@dynamicMemberLookup
package struct Scan: Hashable, Sendable, Identifiable {
    /// The result of the recognition. Its properties are also the scan's. A correction does not change them.
    package var recognition: NewScan
    /// Precise to the millisecond.
    package var createdAt: Date
    /// A person's note.
    package var note: String?
    /// The correct label according to a person. It serves as training material.
    package var correctedLabel: String?
    /// The animal's own name, such as Misu. The recognition of individuals learns from it.
    package var individual: String?
    /// Nil if the photo was not kept.
    package var photo: StoredPhoto?

    package var id: ULID { recognition.id }
    /// The model's likeliest label.
    package var label: String? { recognition.predictions.first?.label }
    /// The corrected label, otherwise the model's likeliest.
    package var effectiveLabel: String? { correctedLabel ?? label }
    /// The content address of the stored copy.
    package var photoDigest: ContentDigest? { photo?.digest }

    package init(_ recognition: NewScan, photo: StoredPhoto? = nil) {
        self.recognition = recognition
        createdAt = recognition.id.date
        self.photo = photo
    }

    /// Forwards the properties of the recognition.
    package subscript<Value>(dynamicMember property: WritableKeyPath<NewScan, Value>) -> Value {
        get { recognition[keyPath: property] }
        set { recognition[keyPath: property] = newValue }
    }
}

extension Scan {
    /// The scan to store if this one is inserted and one with the same id exists. Nil leaves the existing one alone.
    ///
    /// A deleted scan is replaced, but it keeps its photo if this scan brings none (JSON lines bring none). An existing
    /// scan only gets a photo that it lacks.
    /// - Parameter wasDeleted: whether the earlier scan is deleted and can still be restored.
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
    /// The keys beside those of `NewScan`.
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
        // For readers of an export. Decoding takes the label from the predictions.
        try container.encodeIfPresent(label, forKey: .label)
        try container.encodeIfPresent(note, forKey: .note)
        try container.encodeIfPresent(correctedLabel, forKey: .correctedLabel)
        try container.encodeIfPresent(individual, forKey: .individual)
        try container.encodeIfPresent(photo, forKey: .photo)
    }
}
