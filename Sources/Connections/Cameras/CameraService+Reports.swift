import Base
import Foundation
import Logging

extension CameraService {
    /// Takes a watcher's report into the camera's state, and logs what an operator has to know.
    nonisolated func note(_ report: CameraReport, of camera: Camera) {
        let change: CameraStatus? = boards.withLock { boards in
            guard var board = boards[camera.id] else { return nil }
            defer { boards[camera.id] = board }
            switch report {
            case .picture(let picture):
                board.picture = picture
                board.status.counts.pictures += 1
            case .looked: board.status.counts.looks += 1
            case .missed: board.status.counts.missed += 1
            case .state(let state, let problem):
                if state == .away { board.status.counts.failures += 1 }
                // A camera that was away counts as away until the attempt succeeds.
                if state == .connecting, board.status.state == .away { return nil }
                guard (state, problem) != (board.status.state, board.status.problem) else { return nil }
                let isNamed = board.log.names(state, problem: problem, after: board.status)
                board.status.state = state
                board.status.problem = problem
                board.status.since = Date()
                return isNamed ? board.status : nil
            }
            return nil
        }
        switch change?.state {
        case .away:
            logger.warning(
                "A camera cannot be watched",
                metadata: [
                    "camera": "\(camera.id)", "reason": "\(change?.problem ?? "")",
                    "failures": "\(change?.counts.failures ?? 0)",
                ])
        case .watching, .ended:
            logger.notice(
                "A camera is \(change?.state == .ended ? "at its end" : "watched")",
                metadata: ["camera": "\(camera.id)"])
        default: break
        }
    }
}
