package import Base
package import Foundation

/// One recognised photo: the answer about it, and what people added. A correction does not change the answer.
///
/// Its JSON form (snake_case keys, RFC 3339 times in UTC) is what the stores keep and what an export contains.
package struct Scan: Hashable, Sendable, Identifiable {
    /// The permanent name.
    package var id: ULID
    /// The time of `id` in new scans, precise to the millisecond.
    package var createdAt: Date
    /// `cat`, `dog`, `other` …
    package var species: String
    /// The head that gave `predictions`.
    package var head: String
    /// Likeliest first; may be empty.
    package var predictions: [Prediction]
    /// The top answers of every requested head, by name of the head.
    package var heads: [String: [Prediction]]
    /// The probability of each kind (`cat`, `dog`, `other`), 0…1.
    package var presence: [String: Double]
    package var abstained: Bool
    package var message: String
    package var model: ScanModel
    package var image: ScanImage
    package var timing: Timing
    /// Nil if no boxes were looked for.
    package var boxes: [Box]?
    /// Nil if no head was trained here.
    package var learnt: LearntAnswers?
    /// The digest of the request's options and photos, if it came with an idempotency key. The same key with another
    /// digest is another request. Nil for scans without a key, and for scans older than this property.
    package var request: ContentDigest?
    /// A person's note.
    package var note: String?
    /// The correct label according to a person. It serves as training material.
    package var correctedLabel: String?
    /// The animal's own name, such as Misu. The recognition of individuals learns from it.
    package var individual: String?
    /// Nil if the photo was not kept.
    package var photo: StoredPhoto?

    /// The model's likeliest label.
    package var label: String? { predictions.first?.label }
    /// The corrected label, otherwise the model's likeliest.
    package var effectiveLabel: String? { correctedLabel ?? label }

    package init(
        id: ULID = .next(), species: String, head: String, predictions: [Prediction],
        heads: [String: [Prediction]] = [:], presence: [String: Double] = [:], abstained: Bool = false,
        message: String, model: ScanModel, image: ScanImage, timing: Timing, boxes: [Box]? = nil,
        learnt: LearntAnswers? = nil, photo: StoredPhoto? = nil
    ) {
        self.id = id
        createdAt = id.date
        self.species = species
        self.head = head
        self.predictions = predictions
        self.heads = heads
        self.presence = presence
        self.abstained = abstained
        self.message = message
        self.model = model
        self.image = image
        self.timing = timing
        self.boxes = boxes
        self.learnt = learnt
        self.photo = photo
    }

    /// Whether the scan answers a request with the same key. If either digest of a request is missing, the photos are
    /// compared.
    func answers(_ request: ContentDigest?, photo: @autoclosure () -> ContentDigest) -> Bool {
        guard let request, let before = self.request else { return image.sha256 == photo() }
        return request == before
    }
}

extension Scan {
    /// The scan to store if this one is inserted and one with the same id exists. Nil leaves the existing one alone.
    ///
    /// A deleted scan is replaced. An existing scan only gets a photo that it lacks.
    /// - Parameters:
    ///   - wasDeleted: whether the earlier scan is deleted and can still be restored.
    ///   - keepsPhoto: whether a deleted scan keeps its photo if this scan brings none.
    func taken(over earlier: Scan, wasDeleted: Bool, keepsPhoto: Bool = true) -> Scan? {
        if wasDeleted {
            var scan = self
            if keepsPhoto { scan.photo = photo ?? earlier.photo }
            return scan
        }
        guard earlier.photo == nil, let photo else { return nil }
        var scan = earlier
        scan.photo = photo
        return scan
    }
}

extension Scan: Codable {
    private enum CodingKeys: String, CodingKey {
        case id, species, head, predictions, heads, presence, abstained, message, model, image, timing, boxes, learnt
        case request, label, note, individual, photo
        case createdAt = "created_at"
        case correctedLabel = "corrected_label"
    }

    /// Fields that the first exports left out are empty.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            id: try container.decode(ULID.self, forKey: .id),
            species: try container.decode(String.self, forKey: .species),
            head: try container.decode(String.self, forKey: .head),
            predictions: try container.decode([Prediction].self, forKey: .predictions),
            heads: try container.decodeIfPresent([String: [Prediction]].self, forKey: .heads) ?? [:],
            presence: try container.decodeIfPresent([String: Double].self, forKey: .presence) ?? [:],
            abstained: try container.decode(Bool.self, forKey: .abstained),
            message: try container.decode(String.self, forKey: .message),
            model: try container.decode(ScanModel.self, forKey: .model),
            image: try container.decode(ScanImage.self, forKey: .image),
            timing: try container.decode(Timing.self, forKey: .timing),
            boxes: try container.decodeIfPresent([Box].self, forKey: .boxes),
            learnt: try container.decodeIfPresent(LearntAnswers.self, forKey: .learnt),
            photo: try container.decodeIfPresent(StoredPhoto.self, forKey: .photo))
        request = try container.decodeIfPresent(ContentDigest.self, forKey: .request)
        let time = try container.decode(String.self, forKey: .createdAt)
        guard let createdAt = Date(rfc3339: time) else {
            throw DecodingError.dataCorruptedError(
                forKey: .createdAt, in: container, debugDescription: "'\(time)' is not an RFC 3339 time")
        }
        self.createdAt = createdAt
        note = try container.decodeIfPresent(String.self, forKey: .note)
        correctedLabel = try container.decodeIfPresent(String.self, forKey: .correctedLabel)
        individual = try container.decodeIfPresent(String.self, forKey: .individual)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(species, forKey: .species)
        try container.encode(head, forKey: .head)
        try container.encode(predictions, forKey: .predictions)
        try container.encode(heads, forKey: .heads)
        try container.encode(presence, forKey: .presence)
        try container.encode(abstained, forKey: .abstained)
        try container.encode(message, forKey: .message)
        try container.encode(model, forKey: .model)
        try container.encode(image, forKey: .image)
        try container.encode(timing, forKey: .timing)
        try container.encodeIfPresent(boxes, forKey: .boxes)
        try container.encodeIfPresent(learnt, forKey: .learnt)
        try container.encodeIfPresent(request, forKey: .request)
        try container.encode(createdAt.rfc3339, forKey: .createdAt)
        // For readers of an export. Decoding takes the label from the predictions.
        try container.encodeIfPresent(label, forKey: .label)
        try container.encodeIfPresent(note, forKey: .note)
        try container.encodeIfPresent(correctedLabel, forKey: .correctedLabel)
        try container.encodeIfPresent(individual, forKey: .individual)
        try container.encodeIfPresent(photo, forKey: .photo)
    }
}
