package struct LiveLimits: Sendable, Equatable {
    /// The largest number of open streams. A further one is refused.
    package var sessions: Int
    /// The largest frame in bytes. A larger one ends its stream.
    package var frameBytes: Int
    /// The time that a client may be silent, or read nothing, before its stream is closed.
    package var idle: Duration

    package init(sessions: Int = 16, frameBytes: Int = 8 << 20, idle: Duration = .seconds(300)) {
        self.sessions = sessions
        self.frameBytes = frameBytes
        self.idle = idle
    }
}
