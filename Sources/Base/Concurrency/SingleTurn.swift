/// Lets one in at a time: an import, an evaluation.
package final class SingleTurn: Sendable {
    /// What whoever is in holds; leaving it, or forgetting it, lets the next one in.
    package final class Place: Sendable {
        private let turn: SingleTurn
        private let isLeft = Locked(false)

        fileprivate init(_ turn: SingleTurn) {
            self.turn = turn
        }

        deinit {
            leave()
        }

        /// Lets the next one in. A second call does nothing.
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

    /// nil while another one is in.
    package func take() -> Place? {
        let isFree = isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
        return isFree ? Place(self) : nil
    }
}
