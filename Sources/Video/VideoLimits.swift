package import Base

package struct VideoLimits: Sendable, Hashable, Codable {
    /// The largest product of width and height of its pictures.
    package var pixels: Int
    /// The longest time from its first picture to its last, in seconds.
    package var duration: Double
    /// The most memory beyond that of the program itself, in bytes.
    package var memory: Int
    /// The most processor time, in seconds.
    package var processorTime: Int
    /// The largest output file, in bytes.
    package var outputBytes: Int
    /// The longest time without a sign of life, in seconds. The process is killed after it.
    package var patience: Double
    /// The reaction if the kernel refuses a part of the sandbox.
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
