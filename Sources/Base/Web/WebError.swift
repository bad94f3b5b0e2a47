package import Foundation

/// The reason why another program's server gave no usable answer.
package enum WebError: Error, Equatable, LocalizedError {
    case timedOut
    /// The task that waited for the answer was cancelled.
    case cancelled
    case unreachable(String)
    /// The host belongs to this machine or to a private network.
    case isPrivate(host: String)
    /// The answer has more bytes than this limit.
    case tooLarge(limit: Int)
    case status(Int)
    /// The document does not have the expected form.
    case malformed

    package var errorDescription: String? {
        switch self {
        case .timedOut: "there was no answer in time"
        case .cancelled: "the request was cancelled"
        case .unreachable(let reason): reason
        case .isPrivate(let host): "\(host) is an address of this machine or of a private network, which is not allowed"
        case .tooLarge(let limit): "the answer has more than \(limit) bytes"
        case .status(let status): "status \(status)"
        case .malformed: "the answer is not what was asked for"
        }
    }
}

extension URL {
    /// Whether it is the address of an HTTP server.
    package var isHTTP: Bool { ["http", "https"].contains(scheme) && host() != nil }
}
