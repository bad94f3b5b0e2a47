package import Base

/// What one video may take.
package struct VideoLimits: Sendable, Hashable, Codable {
    /// Width times height of its pictures.
    package var pixels: Int
    /// Seconds from its first picture to its last.
    package var duration: Double
    /// Bytes of memory beyond those that the program itself takes.
    package var memory: Int
    /// Seconds of processor time.
    package var processorTime: Int
    /// Bytes of a file that is made of it.
    package var outputBytes: Int
    /// Seconds without a sign of life after which its process is ended.
    package var patience: Double
    /// What becomes of it where the kernel refuses a wall around its process.
    package var sandbox: Sandbox.Demand

    package init(
        pixels: Int = 7680 * 4320, duration: Double = 7200, memory: Int = 2 << 30, processorTime: Int = 7200,
        outputBytes: Int = 4 << 30, patience: Double = 30,
        sandbox: Sandbox.Demand = .best
    ) {
        self.pixels = pixels
        self.duration = duration
        self.memory = memory
        self.processorTime = processorTime
        self.outputBytes = outputBytes
        self.patience = patience
        self.sandbox = sandbox
    }
}
