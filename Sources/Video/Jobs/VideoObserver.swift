package import Base

/// Learns what happens to the videos of a ``VideoJobs``, for clients and for metrics.
package protocol VideoObserver: Sendable {
    func changed(_ change: VideoChange)
    func analysedPicture()
    func savedScan()
    /// The helper process crashed over a video.
    func crashed()
    /// The work on a video ended here.
    func ended(_ state: VideoJob.State)
    /// The reason of a failure, as the client gets it.
    func problem(of error: any Error) -> VideoJob.Problem
}

/// A change of a video that its readers learn of.
package enum VideoChange: Sendable {
    case progress(VideoJob)
    case track(VideoFindings.Track, of: VideoJob)
    case ended(VideoJob)
    case removed(ULID, wasOver: Bool)
    /// The service stops. Nothing changes until its next start.
    case stopped
}

/// The reason why the service cannot do something with a video now.
package enum VideoJobError: Error {
    case tooManyWaiting
    /// Too many other requests wait for annotated files or pictures.
    case busy
    /// The files of a video need more than the bytes that videos may have.
    case noRoom(bytes: Int, limit: Int)
    /// A video of more bytes than one may have.
    case tooLarge(limit: Int)
    /// The video was removed.
    case gone(ULID)
    /// The user points at a thing at a time, in seconds, at which the video has no picture.
    case pointsOutside(seconds: Double)
}
