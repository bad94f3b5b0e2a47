extension ModelManifest {
    /// Arithmetic inside the network.
    package enum Precision: String, Codable, Sendable, CaseIterable {
        /// The fastest the CPU has: bf16 (on arm64 f16) where `Processor.gainsFromHalfPrecision`, otherwise f32; int8 for
        /// what is quantised where `Processor.sumsBytesExactly`.
        case automatic
        /// As the framework that the file is from: what is quantised is rounded as the file says.
        case f32
    }
}
