import Base
import Imaging

extension Recogniser {
    package enum Picture: Sendable {
        /// The levels that the network's graph takes: height × width × 3 bytes, RGB.
        case levels([UInt8])
        /// The network's own input: f32, little-endian, in its layout and scale.
        case tensor([UInt8])
        /// A photo as a file. It is decoded and fitted to the network's size.
        case photo([UInt8])
    }

    /// The most pictures of one request in work at once.
    private static let maximumConcurrency = 16

    /// The network's raw outputs for some pictures, in order. The request counts as one photo for admission.
    ///
    /// - Throws: `RecognitionError`, `ImagingError`, or `CancellationError`. One bad picture fails the request.
    package func outputs(
        for pictures: [Picture], of model: LoadedModel, options: ClassificationOptions
    ) async throws -> [ModelOutput] {
        let size = InputForm.picture.bytes(model.manifest.input)
        for case .levels(let levels) in pictures where levels.count != size {
            throw RecognitionError.invalidTensor("A picture is of \(size) bytes, not \(levels.count).")
        }
        let tensorSize = InputForm.tensor.bytes(model.manifest.input)
        for case .tensor(let bytes) in pictures where bytes.count != tensorSize {
            throw RecognitionError.invalidTensor("A tensor is of \(tensorSize) bytes, not \(bytes.count).")
        }
        let owner = try takePermit(for: model.manifest.name)
        defer { returnPermit(of: owner) }
        if pictures.contains(where: { if case .tensor = $0 { true } else { false } }) {
            try await model.prepareForTensors()
        }
        return try await pictures.concurrentMap(atOnce: Self.maximumConcurrency) {
            try await self.output(for: $0, of: model, options: options)
        }
    }

    /// Runs a short piece of preparatory work in the model's line. It holds a permit meanwhile, like a photo.
    ///
    /// - Throws: errors of the body, `RecognitionError`, or `CancellationError`.
    package func prepare<Value: Sendable>(
        for model: LoadedModel, priority: Priority, deadline: ContinuousClock.Instant?,
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let owner = try takePermit(for: model.manifest.name)
        defer { returnPermit(of: owner, isAnswered: false) }
        return try await model.line.run(priority: priority, deadline: deadline) { _ in try body() }
    }

    private func output(
        for picture: Picture, of model: LoadedModel, options: ClassificationOptions
    ) async throws -> ModelOutput {
        switch picture {
        case .levels(let levels):
            try await model.line.submit(levels, priority: options.priority, deadline: options.deadline).output
        case .tensor(let bytes):
            try await model.submit(tensor: bytes, priority: options.priority, deadline: options.deadline).output
        case .photo(let photo): try await infer(photo, with: model, options: options).output
        }
    }
}
