import Foundation

/// A gate that blocks callers while it is closed. It is open at first.
///
/// `@unchecked Sendable`: the state is touched only under the condition's lock.
package final class Gate: @unchecked Sendable {
    private let condition = NSCondition()
    private var isOpen = true
    /// The number of further callers that the gate blocks.
    private var room = 0
    private var held = 0

    package init() {}

    package var waiting: Int { condition.withLock { held } }

    /// - Parameter count: the number of callers to block. Later ones pass.
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
