import Foundation
package import Testing

extension Trait where Self == ConditionTrait {
    /// For tests that take seconds: `Scripts/test --quick` leaves them out, every other run has them.
    package static var slow: Self {
        .disabled(if: ProcessInfo.processInfo.environment["TEST_QUICK"] != nil, "slow: left out of quick runs")
    }
}
