/// Bytes that are not what the protocol buffer encoding, or the message read from it, allows.
package struct WireFormatError: Error, Equatable, CustomStringConvertible, Sendable {
    /// Where in the file, in bytes from its start.
    package let offset: Int
    /// What was wrong, and what would be right.
    package let reason: String

    package var description: String { "\(reason) (at byte \(offset))" }
}
