import TestSupport

extension ServiceProcess {
    /// Waits until a resource is as wanted, and returns it.
    func object(
        _ path: String, until isSo: ([String: any Sendable]) -> Bool
    ) async throws -> [String: any Sendable] {
        while true {
            let object = try await request("GET", path).object()
            if isSo(object) { return object }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
