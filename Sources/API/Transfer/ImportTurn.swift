import Base

/// Lets one import in at a time.
final class ImportTurn: Sendable {
    /// What whoever is in holds; leaving it, or forgetting it, lets the next one in.
    final class Place: Sendable {
        private let turn: ImportTurn
        private let isLeft = Locked(false)

        fileprivate init(_ turn: ImportTurn) {
            self.turn = turn
        }

        deinit {
            leave()
        }

        func leave() {
            let wasLeft = isLeft.withLock { isLeft in
                defer { isLeft = true }
                return isLeft
            }
            if !wasLeft { turn.isTaken.withLock { $0 = false } }
        }
    }

    private let isTaken = Locked(false)

    /// Nil while another import is in.
    func take() -> Place? {
        let isFree = isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
        return isFree ? Place(self) : nil
    }
}
