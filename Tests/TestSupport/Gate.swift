import Foundation

/// Holds up those who pass while it is closed; open at first.
///
/// `@unchecked Sendable`: the state is touched only under the condition's lock.
package final class Gate: @unchecked Sendable {
    private let condition = NSCondition()
    private var isOpen = true
    /// How many more are held up.
    private var room = 0
    private var held = 0

    package init() {}

    /// How many it holds up.
    package var waiting: Int { condition.withLock { held } }

    /// - Parameter count: how many it holds up; who comes after them passes.
    package func close(forNext count: Int = .max) {
        condition.withLock {
            isOpen = false
            room = count
        }
    }

    package func open() {
        condition.withLock {
            isOpen = true
            condition.broadcast()
        }
    }

    /// Blocks while the gate is closed.
    package func pass() {
        condition.withLock {
            guard !isOpen, room > 0 else { return }
            room -= 1
            held += 1
            while !isOpen { condition.wait() }
            held -= 1
        }
    }
}
