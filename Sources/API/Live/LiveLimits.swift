/// The bounds of live streams.
package struct LiveLimits: Sendable, Equatable {
    /// Streams that are open at a time; a further one is refused.
    package var sessions: Int
    /// Largest frame in bytes; a larger one ends its stream.
    package var frameBytes: Int
    /// How long a client may be silent, or take nothing of what it is sent, before its stream is closed.
    package var idle: Duration

    package init(sessions: Int = 16, frameBytes: Int = 8 << 20, idle: Duration = .seconds(300)) {
        self.sessions = sessions
        self.frameBytes = frameBytes
        self.idle = idle
    }
}
