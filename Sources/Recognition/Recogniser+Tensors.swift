import Imaging

extension Recogniser {
    /// One picture for a network.
    package enum Picture: Sendable {
        /// Levels as the network's graph takes them: height × width × 3 bytes, RGB.
        case levels([UInt8])
        /// A photo as a file; it is decoded and brought to the network's size.
        case photo([UInt8])
    }

    /// Pictures of one request that are inside at a time; the others follow.
    private static let maximumConcurrency = 16

    /// The network's raw outputs for some pictures, in their order. The request counts as one photo for admission.
    ///
    /// - Throws: ``RecognitionError``, ``ImagingError``, or `CancellationError`; one bad picture fails them all.
    package func outputs(
        for pictures: [Picture], of model: LoadedModel, options: ClassificationOptions
    ) async throws -> [ModelOutput] {
        let size = model.manifest.input.width * model.manifest.input.height * 3
        for case .levels(let levels) in pictures where levels.count != size {
            throw RecognitionError.invalidTensor("A picture is of \(size) bytes, not \(levels.count).")
        }
        let owner = try takePermit(for: model.manifest.name)
        defer { returnPermit(of: owner) }
        return try await Self.inOrder(pictures) { try await self.output(for: $0, of: model, options: options) }
    }

    /// Asks for the answers to all items, some at a time, and gives them in the order of the items.
    static func inOrder<Item: Sendable, Answer: Sendable>(
        _ items: [Item], atOnce limit: Int = maximumConcurrency,
        _ answer: @escaping @Sendable (Item) async throws -> Answer
    ) async throws -> [Answer] {
        try await withThrowingTaskGroup(of: (Int, Answer).self) { group in
            var answers = [Answer?](repeating: nil, count: items.count)
            for (index, item) in items.enumerated() {
                if index >= limit, let (done, answer) = try await group.next() { answers[done] = answer }
                group.addTask { (index, try await answer(item)) }
            }
            for try await (index, answer) in group { answers[index] = answer }
            return answers.compactMap(\.self)
        }
    }

    private func output(
        for picture: Picture, of model: LoadedModel, options: ClassificationOptions
    ) async throws -> ModelOutput {
        switch picture {
        case .levels(let levels):
            return try await model.submit(levels, options).output
        case .photo(let photo):
            let decoded = try await decode(photo, for: model, options: options)
            return try await model.submit(decoded.pixels.bytes, options).output
        }
    }
}
