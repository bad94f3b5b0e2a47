import Foundation
import Glibc

/// A thread for long computations that gives way to all others: its nice value is high, and so is that of the threads that
/// it starts.
enum BackgroundThread {
    private static let nice: Int32 = 10

    static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                // On Linux the nice value is a thread's own (setpriority(2)).
                _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, nice)
                continuation.resume(with: Result { try body() })
            }
        }
    }
}
