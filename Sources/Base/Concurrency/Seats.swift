/// A limited number of things at a time, such as imports or live streams.
package final class Seats: Sendable {
    /// A place for one of them. It is free again when it is left, or when the object is released.
    package final class Seat: Sendable {
        private let seats: Seats
        private let isTaken = Locked(true)

        fileprivate init(_ seats: Seats) {
            self.seats = seats
        }

        deinit { leave() }

        package func leave() {
            if isTaken.withLock({ exchange(&$0, with: false) }) { seats.taken.withLock { $0 -= 1 } }
        }
    }

    private let count: Int
    private let taken = Locked(0)

    package init(count: Int) {
        self.count = count
    }

    package var hasRoom: Bool { taken.withLock { $0 < count } }

    /// A place; nil if all are taken.
    package func take() -> Seat? {
        let isFree = taken.withLock { taken in
            guard taken < count else { return false }
            taken += 1
            return true
        }
        return isFree ? Seat(self) : nil
    }
}
