import Foundation

/// Which states and problems of a camera are written to the log: each once, however often it comes again, until one of them
/// has lasted for an hour. A pure value.
struct CameraLog: Sendable {
    private static let calm: TimeInterval = 3600
    /// Different problems that are named.
    private static let limit = 16

    private var named: Set<String> = []

    /// - Parameter before: the status that ends now.
    /// - Returns: whether the new state is written.
    mutating func names(
        _ state: CameraStatus.State, problem: String?, after before: CameraStatus, at date: Date = Date()
    ) -> Bool {
        if date.timeIntervalSince(before.since) >= Self.calm { named = [] }
        guard named.count < Self.limit else { return false }
        return named.insert("\(state) \(problem ?? "")").inserted
    }
}
