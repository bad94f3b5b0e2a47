import Foundation
package import Testing

extension Trait where Self == ConditionTrait {
    /// Marks tests that take seconds. Only `Scripts/test --quick` leaves them out.
    package static var slow: Self {
        .disabled(if: ProcessInfo.processInfo.environment["TEST_QUICK"] != nil, "slow: left out of quick runs")
    }
}
