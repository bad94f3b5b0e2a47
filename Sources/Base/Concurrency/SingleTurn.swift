/// Allows one job of a kind at a time, such as an import or an evaluation.
package final class SingleTurn: Sendable {
    /// The right to run. ``leave()`` or the end of the object's life lets the next job in.
    package final class Place: Sendable {
        private let turn: SingleTurn
        private let isLeft = Locked(false)

        fileprivate init(_ turn: SingleTurn) {
            self.turn = turn
        }

        deinit {
            leave()
        }

        /// Lets the next job in. A second call does nothing.
        package func leave() {
            let wasLeft = isLeft.withLock { isLeft in
                defer { isLeft = true }
                return isLeft
            }
            if !wasLeft { turn.isTaken.withLock { $0 = false } }
        }
    }

    private let isTaken = Locked(false)

    package init() {}

    /// The place, or nil while another job has it.
    package func take() -> Place? {
        let isFree = isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
        return isFree ? Place(self) : nil
    }
}
