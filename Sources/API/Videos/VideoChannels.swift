import Base
import Encyclopaedia
import HTTP
import Metrics
import Storage
import Telemetry
import Video

/// The events of each video: `progress` and `track` while it waits and is worked on, and at the end `done`, `failed` or
/// `cancelled`. Counts what the metrics show of videos.
struct VideoChannels: VideoObserver {
    let encyclopaedia: Encyclopaedia
    let metrics: ServiceMetrics
    private let channels = EventChannels()

    /// The events of a video. For one that ended long ago, only the last event.
    func channel(of job: VideoJob, follow: (VideoJob) -> Void) -> EventChannel {
        if !job.state.isOver, !channels.has(job.id) { follow(job) }
        return channels.channel(job.id, isOver: job.state.isOver) {
            $0.publish(VideoRepresentation(job, names: names(for: job)), job.state.rawValue)
        }
    }

    func changed(_ change: VideoChange) {
        switch change {
        case .progress(let job): channels.channel(job.id).publish(VideoProgress(job), "progress")
        case .track(let track, let job):
            let shown = VideoTrackRepresentation(track, names: names(for: job), video: job.id, withBoxes: false)
            channels.channel(job.id).publish(shown, "track")
        case .ended(let job):
            channels.channel(job.id).publish(VideoRepresentation(job, names: names(for: job)), job.state.rawValue)
            channels.finish(job.id)
        case .removed(let id, let wasOver):
            if !wasOver { channels.channel(id).publish(["state": "cancelled"], "cancelled") }
            channels.remove(id)
        case .stopped: channels.finishAll()
        }
    }

    private func names(for job: VideoJob) -> LabelNames {
        encyclopaedia.names(in: job.parameters.language)
    }

    func analysedPicture() { metrics.videoFrames.increment() }

    func savedScan() { metrics.savedScan() }

    func crashed() { metrics.crashed(over: .video) }

    func ended(_ state: VideoJob.State) { metrics.videos.with(state.rawValue).increment() }

    func problem(of error: any Error) -> VideoJob.Problem {
        let problem = ProblemDetails(of: error)
        return VideoJob.Problem(
            type: problem.type, title: problem.title, status: problem.status.code, detail: problem.detail)
    }
}
