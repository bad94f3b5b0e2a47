extension ModelManifest {
    /// The arithmetic inside the network.
    package enum Precision: String, Codable, Sendable, CaseIterable {
        /// The fastest of the CPU: bf16 (f16 on arm64) if `Processor.gainsFromHalfPrecision`, otherwise f32. Quantised
        /// parts use int8 if `Processor.sumsBytesExactly`.
        case automatic
        /// The arithmetic of the file's framework. Quantised values are rounded as the file says.
        case f32
    }
}
