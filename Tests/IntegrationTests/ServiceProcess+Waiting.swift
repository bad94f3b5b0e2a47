import TestSupport

extension ServiceProcess {
    /// Waits until a resource is as wanted, at most ten minutes, and returns it.
    func object(
        _ path: String, every interval: Duration = .milliseconds(50), until isSo: ([String: any Sendable]) -> Bool
    ) async throws -> [String: any Sendable] {
        var object: [String: any Sendable] = [:]
        try await eventually(within: .seconds(600), every: interval) {
            object = try await request("GET", path).object()
            return isSo(object)
        }
        return object
    }
}
