package import Foundation
import Imaging

package struct CameraStatus: Sendable, Equatable {
    package enum State: String, Sendable {
        case off
        case connecting
        case watching
        /// The camera is unreachable or sends nothing readable. The service keeps trying.
        case away
        case ended
    }

    package var state: State
    package var problem: String?
    package var since: Date
    package var counts = Counts()

    /// Numbers since the start of the service.
    package struct Counts: Encodable, Sendable, Equatable {
        /// The pictures received. Fewer are taken while nothing moves.
        package var pictures = 0
        /// The pictures that the models analysed.
        package var looks = 0
        /// The pictures that were skipped for lack of time.
        package var missed = 0
        package var sightings = 0
        package var failures = 0
    }
}

/// A watcher's report about its camera.
enum CameraReport: Sendable {
    case state(CameraStatus.State, problem: String?)
    case picture(PixelBuffer)
    case looked
    case missed
}
