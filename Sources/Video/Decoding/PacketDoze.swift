/// Selects the packets of a watched camera to decode. A pure value.
///
/// While nothing moves, only key pictures are decoded, which need no other picture. Encoders spend bytes on changes.
/// When packets grow, everything since the last key picture is decoded, so that nothing is missed. If packets are
/// always large (noise at night, a camera with a constant bit rate), their size tells nothing, and all are decoded.
struct PacketDoze {
    struct Packet {
        var bytes: Int
        /// Whether its picture can be decoded alone.
        var isKey: Bool
        /// Seconds on the stream's clock.
        var time: Double
    }

    enum Step: Equatable {
        case decode
        /// Keep the packet with those before it, undecoded.
        case keep
        /// Decode the packet alone. It replaces the packets kept so far.
        case glance
        /// Keep the packet, undecoded, in place of those kept so far.
        case restart
        /// Decode all kept packets and this one.
        case wake
        /// Drop the packet.
        case leave
    }

    /// Whether nothing has moved recently. It dozes only then.
    var isStill = false

    /// The shortest time between two glances, in seconds.
    private static let rest = 0.45
    /// The longest time without a glance, in seconds. If key pictures are rarer, all are decoded.
    private static let blindness = 2.5
    /// The time for which all are decoded after packets have grown, in seconds.
    private static let alert = 1.0
    /// The most bytes of kept packets.
    private static let room = 4 << 20
    /// The number of packets that determine the usual size while nothing moves.
    private static let sample = 32
    /// The fewest sizes to know before a packet can count as large.
    private static let leastSample = 8
    /// The least ratio of a key picture's size to the usual size at which sizes are informative.
    private static let telling = 8

    /// Seconds between two pictures that are analysed. 0 if the pictures between them are needed for the next.
    private let spacing: Double
    private var isDozing = false
    private var sizes: [Int] = []
    private var glanced = -Double.infinity
    private var decoded = -Double.infinity
    private var alertUntil = -Double.infinity
    private var kept = 0

    /// - Parameter isIntraOnly: whether every picture can be decoded alone.
    init(looksPerSecond: Double, isIntraOnly: Bool) {
        spacing = isIntraOnly ? 0.9 / looksPerSecond : 0
    }

    mutating func step(_ packet: Packet) -> Step {
        let isLarge = !packet.isKey && isLarge(packet.bytes)
        // If the stream's clock was set back, the times start again.
        if packet.time < glanced { glanced = -.infinity }
        if packet.time < decoded { decoded = -.infinity }
        if packet.time < alertUntil - Self.alert { alertUntil = -.infinity }
        guard isDozing else {
            if isStill, packet.isKey, packet.time >= alertUntil, usual * Self.telling <= packet.bytes {
                return glance(packet)
            }
            guard packet.time - decoded >= spacing else { return .leave }
            decoded = packet.time
            return .decode
        }
        kept += packet.bytes
        if !isStill { return wake(until: packet.time) }
        if packet.isKey {
            if packet.time - glanced >= Self.rest { return glance(packet) }
            kept = packet.bytes
            return .restart
        }
        if isLarge || packet.time - glanced > Self.blindness || kept > Self.room {
            return wake(until: packet.time + Self.alert)
        }
        return .keep
    }

    private mutating func glance(_ packet: Packet) -> Step {
        isDozing = true
        glanced = packet.time
        kept = packet.bytes
        return .glance
    }

    private mutating func wake(until time: Double) -> Step {
        isDozing = false
        alertUntil = time
        kept = 0
        return .wake
    }

    /// Whether a packet exceeds the recent ones by more than chance.
    private mutating func isLarge(_ bytes: Int) -> Bool {
        let isLarge = sizes.count >= Self.leastSample && Double(bytes) > Double(sizes.max() ?? 0) * 1.25 + 256
        if sizes.count >= Self.sample { sizes.removeFirst() }
        sizes.append(bytes)
        return isLarge
    }

    /// The median of recent sizes, in bytes.
    private var usual: Int { sizes.isEmpty ? 0 : sizes.sorted()[sizes.count / 2] }
}
