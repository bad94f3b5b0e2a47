import Base

/// The places of live streams.
final class LiveSeats: Sendable {
    /// A place that is taken, until its stream ends or, where none comes about, nobody holds it any more.
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

    /// nil where all are taken.
    func take() -> Seat? {
        let isFree = taken.withLock { taken in
            guard taken < count else { return false }
            taken += 1
            return true
        }
        return isFree ? Seat(self) : nil
    }
}
