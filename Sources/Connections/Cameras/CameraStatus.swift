package import Foundation
import Imaging

/// How it stands with a camera.
package struct CameraStatus: Sendable, Equatable {
    /// Whether it is watched, and whether it can be.
    package enum State: String, Sendable {
        /// It is not watched.
        case off
        case connecting
        case watching
        /// It cannot be reached, or sends nothing that can be read; it is tried again.
        case away
        /// The film is over.
        case ended
    }

    package var state: State
    /// Why it is away.
    package var problem: String?
    package var since: Date
    package var counts = Counts()

    /// Since the service started.
    package struct Counts: Sendable, Equatable {
        /// Pictures that were taken from it: fewer while nothing moves.
        package var pictures = 0
        /// Pictures that the models looked at.
        package var looks = 0
        /// Pictures that nobody had time for.
        package var missed = 0
        package var sightings = 0
        package var failures = 0
    }
}

/// What a watcher tells of its camera while it goes on.
enum CameraNews: Sendable {
    case state(CameraStatus.State, problem: String?)
    case picture(PixelBuffer)
    case looked
    case missed
}
