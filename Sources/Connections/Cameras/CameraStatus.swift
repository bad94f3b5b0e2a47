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

/// The live state of a camera.
struct CameraBoard: Sendable {
    var status: CameraStatus
    var picture: PixelBuffer?
    var log = CameraLog()
}

/// A watcher's report about its camera.
enum CameraReport: Sendable {
    case state(CameraStatus.State, problem: String?)
    case picture(PixelBuffer)
    case looked
    case missed
}

/// Decides which states and problems of a camera are logged. Each appears once, however often it returns, until the
/// camera has stayed in one state for an hour. A pure value.
struct CameraLog: Sendable {
    private static let calm: TimeInterval = 3600
    /// The largest number of different problems that are logged.
    private static let limit = 16

    private var named: Set<String> = []

    /// - Parameter before: the status that ends now.
    /// - Returns: whether the new state should be logged.
    mutating func names(
        _ state: CameraStatus.State, problem: String?, after before: CameraStatus, at date: Date = Date()
    ) -> Bool {
        if date.timeIntervalSince(before.since) >= Self.calm { named = [] }
        guard named.count < Self.limit else { return false }
        return named.insert("\(state) \(problem ?? "")").inserted
    }
}
