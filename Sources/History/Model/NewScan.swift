package import Base

/// The result of a recognition, ready to be saved.
package struct NewScan: Codable, Hashable, Sendable {
    /// The permanent name of the scan. It also holds the scan's time (`id.date`).
    package var id: ULID
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

    package init(
        id: ULID = .next(), species: String, head: String, predictions: [Prediction],
        heads: [String: [Prediction]] = [:], presence: [String: Double] = [:], abstained: Bool = false,
        message: String, model: ScanModel, image: ScanImage, timing: Timing, boxes: [Box]? = nil,
        learnt: LearntAnswers? = nil, request: ContentDigest? = nil
    ) {
        self.id = id
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
        self.request = request
    }

    /// Whether this request repeats the one that an earlier scan answered under the same key. If either digest is
    /// missing, the photos are compared.
    func repeats(_ earlier: NewScan) -> Bool {
        guard let request, let before = earlier.request else { return image.sha256 == earlier.image.sha256 }
        return request == before
    }
}

extension NewScan {
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
            request: try container.decodeIfPresent(ContentDigest.self, forKey: .request))
    }
}
