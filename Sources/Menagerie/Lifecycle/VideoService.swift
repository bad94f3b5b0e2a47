import ServiceLifecycle
import Video

/// Works on videos until the process is told to stop. Unfinished work continues after the next start.
struct VideoService: Service {
    let videos: VideoJobs

    func run() async throws {
        await cancelWhenGracefulShutdown { await videos.run() }
    }
}
