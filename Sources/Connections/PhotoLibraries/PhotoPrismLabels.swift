import Recognition

/// The answer to PhotoPrism for one photo. PhotoPrism's `internal/ai/vision` defines the format.
package struct PhotoPrismLabels: Encodable, Sendable {
    struct Label: Encodable, Sendable, Equatable {
        let name: String
        let source = "image"
        let priority = 0
        /// Always above 0, since PhotoPrism reads 0 as 0.8.
        let confidence: Double
        /// The object's share of the photo, 0…1.
        let topicality: Double
        /// The more general words.
        let categories: [String]
    }

    struct Model: Encodable, Sendable {
        let type = "labels"
        let name: String
        let version: String
    }

    struct Result: Encodable, Sendable { let labels: [Label] }

    let id: String
    let code = 200
    let model: Model
    let result: Result

    /// - Parameter id: the request's id.
    package init(_ seen: SeenPhoto, id: String, tags: [PhotoTag]) {
        self.id = id
        model = Model(name: seen.modelName, version: seen.modelVersion)
        result = Result(
            labels: tags.map { tag in
                let confidence = max(0.01, (tag.confidence * 100).rounded() / 100)
                return Label(
                    name: tag.name, confidence: confidence, topicality: confidence,
                    categories: tag.path.dropLast().reversed().map { $0.lowercased() })
            })
    }
}
