import Foundation
import Glibc

/// A thread for long computations that yields to all others. Its nice value is high, and its own threads inherit that.
enum BackgroundThread {
    private static let nice: Int32 = 10

    static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                // On Linux, each thread has its own nice value (setpriority(2)).
                _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, nice)
                continuation.resume(with: Result { try body() })
            }
        }
    }
}
