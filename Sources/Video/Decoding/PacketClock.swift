/// Continues the times of a stream whose clock begins anew, as in a film that was joined from several recordings, and
/// in a camera that sets its clock. A pure value.
struct PacketClock {
    /// The time by which a packet is earlier than the one before if the clock begins anew, in microseconds.
    private static let setBack: Int64 = 500_000
    /// Later times are not continued. They are wrong, and arithmetic could overflow.
    private static let latest: Int64 = 1 << 60

    /// The time to add to the packets of the pictures, in microseconds, and that before the clock last began anew.
    private var (shift, earlier): (Int64, Int64) = (0, 0)
    /// The latest time of a packet so far, with the shift.
    private var last: Int64?

    /// Takes the time at which the next packet of the pictures is decoded.
    ///
    /// - Parameters:
    ///   - time: microseconds on the stream's own clock, less than 2^60 from 0.
    ///   - step: the usual time between two pictures, in microseconds.
    mutating func follow(_ time: Int64, step: Int64) {
        if let last, last < Self.latest, time + shift < last - Self.setBack {
            (earlier, shift) = (shift, last + step - time)
        }
        last = max(last ?? .min, time + shift)
    }

    /// The time to add to a packet of any stream, in microseconds. Sound often lags behind its pictures, so that the
    /// clock begins anew for the pictures first.
    ///
    /// - Parameter time: microseconds on the stream's own clock. Nil for a packet without a time.
    func shift(of time: Int64?) -> Int64 {
        guard let time, let last else { return shift }
        return (time + earlier - last).magnitude < (time + shift - last).magnitude ? earlier : shift
    }
}
