package import Base

package struct VideoLimits: Sendable, Hashable, Codable {
    /// The largest product of width and height of its pictures.
    package var pixels = 7680 * 4320
    /// The longest time from its first picture to its last, in seconds.
    package var duration = 7200.0
    /// The most memory beyond that of the program itself, in bytes.
    package var memory = 2 << 30
    /// The most processor time, in seconds.
    package var processorTime = 7200
    /// The largest output file, in bytes.
    package var outputBytes = 4 << 30
    /// The longest time without a sign of life, in seconds. The process is killed after it.
    package var patience = 30.0
    /// The reaction if the kernel refuses a part of the sandbox.
    package var sandbox = Sandbox.Demand.best

    package static let standard = VideoLimits()
}
