import Foundation

/// Holds up whoever passes while it is closed; open at first.
///
/// `@unchecked Sendable`: the state is touched only under the condition's lock.
package final class Gate: @unchecked Sendable {
    private let condition = NSCondition()
    private var isOpen = true

    package init() {}

    package func close() {
        condition.withLock { isOpen = false }
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
            while !isOpen { condition.wait() }
        }
    }
}
