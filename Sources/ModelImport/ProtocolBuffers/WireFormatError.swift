/// A violation of the protocol buffer encoding, or of the declared message.
package struct WireFormatError: Error, Equatable, CustomStringConvertible, Sendable {
    /// The position in the file, in bytes from its start.
    package let offset: Int
    /// The problem, and what would be right.
    package let reason: String

    package var description: String { "\(reason) (at byte \(offset))" }
}
