package import Base

/// What a recognition found out, ready to be saved.
package struct NewScan: Codable, Hashable, Sendable {
    /// Names the scan for good and fixes its time (`id.date`).
    package var id: ULID
    /// `cat`, `dog`, `other` …
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
    package var timing: Timing
    /// Nil where nobody looked for boxes.
    package var boxes: [Box]?
    /// Nil where nothing was learnt here.
    package var learnt: LearntAnswers?
    /// What the request asked for, photos included, where it came with an idempotency key: the same key with something
    /// else is another request. nil for scans that came without a key, and for those of before this was kept.
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

    /// Whether the request that found this out is the same as the one that an earlier scan answered, under one key. Where
    /// either does not tell what was asked, the photo decides.
    func repeats(_ earlier: NewScan) -> Bool {
        guard let request, let before = earlier.request else { return image.sha256 == earlier.image.sha256 }
        return request == before
    }
}

extension NewScan {
    /// What the first exports left out is empty.
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
