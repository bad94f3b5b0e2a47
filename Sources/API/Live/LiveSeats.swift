import Base

/// The limited number of live streams.
final class LiveSeats: Sendable {
    /// A place for one stream. It is free again when the stream ends, or when the object is released without one.
    final class Seat: Sendable {
        private let seats: LiveSeats
        private let isTaken = Locked(true)

        fileprivate init(_ seats: LiveSeats) {
            self.seats = seats
        }

        deinit { leave() }

        func leave() {
            let wasTaken = isTaken.withLock { isTaken in
                defer { isTaken = false }
                return isTaken
            }
            if wasTaken { seats.taken.withLock { $0 -= 1 } }
        }
    }

    private let count: Int
    private let taken = Locked(0)

    init(count: Int) {
        self.count = count
    }

    var hasRoom: Bool { taken.withLock { $0 < count } }

    /// A place; nil if all are taken.
    func take() -> Seat? {
        let isFree = taken.withLock { taken in
            guard taken < count else { return false }
            taken += 1
            return true
        }
        return isFree ? Seat(self) : nil
    }
}
