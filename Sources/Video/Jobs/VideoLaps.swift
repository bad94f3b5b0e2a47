package import Base
package import Streams

/// What is timed in a video.
package struct VideoLaps: Codable, Sendable {
    package let label: String
    package var means: VideoLapTimer.Means
    package let configuration: LapConfiguration
    /// A thing that is recognised by its appearance; nil if the label says what is timed.
    package let pointed: Pointed?
    /// The id of the lap timer that gets the laps when the video is done. It is chosen before, so that a second attempt
    /// makes no second timer.
    package let session: ULID

    /// The place and the time at which the user points at a thing.
    package struct Pointed: Codable, Sendable {
        let point: LapConfiguration.Point
        /// The time in the video.
        let milliseconds: Int
        /// Whether the laps get the label of the request; otherwise they get the thing's name.
        let isNamed: Bool

        package init(point: LapConfiguration.Point, milliseconds: Int, isNamed: Bool) {
            (self.point, self.milliseconds, self.isNamed) = (point, milliseconds, isNamed)
        }
    }

    package init(label: String, means: VideoLapTimer.Means, configuration: LapConfiguration, pointed: Pointed?) {
        (self.label, self.means, self.configuration, self.pointed) = (label, means, configuration, pointed)
        session = ULID.next()
    }

    /// - Parameter appearance: the appearance of the thing that the user points at.
    func timer(of appearance: ThingAppearance?) -> VideoLapTimer {
        VideoLapTimer(label: appearance?.label ?? label, configuration: configuration, means: means)
    }
}
