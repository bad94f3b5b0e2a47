import Foundation

/// Decides which states and problems of a camera are logged. Each appears once, however often it returns, until the
/// camera has stayed in one state for an hour. A pure value.
struct CameraLog: Sendable {
    private static let calm: TimeInterval = 3600
    /// The largest number of different problems that are logged.
    private static let limit = 16

    private var named: Set<String> = []

    /// - Parameter before: the status that ends now.
    /// - Returns: whether the new state should be logged.
    mutating func names(
        _ state: CameraStatus.State, problem: String?, after before: CameraStatus, at date: Date = Date()
    ) -> Bool {
        if date.timeIntervalSince(before.since) >= Self.calm { named = [] }
        guard named.count < Self.limit else { return false }
        return named.insert("\(state) \(problem ?? "")").inserted
    }
}
