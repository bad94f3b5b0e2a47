import Recognition

/// What PhotoPrism is answered for one photo; see its `internal/ai/vision`.
package struct PhotoPrismLabels: Encodable, Sendable {
    struct Label: Encodable, Sendable, Equatable {
        let name: String
        let source = "image"
        let priority = 0
        /// Above 0: PhotoPrism takes 0 for 0.8.
        let confidence: Double
        /// How much of the photo it is about, 0…1.
        let topicality: Double
        /// The broader words.
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

    /// - Parameter id: of the request.
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
