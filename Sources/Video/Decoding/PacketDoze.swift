/// Which packets of a watched camera are decoded. A pure value.
///
/// While nothing moves these are pictures that need no other. Encoders spend bytes on what changes: when packets grow, all
/// that came since the last such picture is decoded, and so nothing is missed. Where packets are large all the time (noise at
/// night, a camera that sends as many bytes whatever it sees) they tell nothing, and all are decoded.
struct PacketDoze {
    struct Packet {
        var bytes: Int
        /// Whether its picture needs no other.
        var isKey: Bool
        /// Seconds of the stream's clock.
        var time: Double
    }

    /// What is done with a packet.
    enum Step: Equatable {
        case decode
        /// Not now; it is kept with those before it.
        case keep
        /// Decoded by itself. Those that were kept are not needed any more, it is kept in their place.
        case glance
        /// Kept in the place of those that were, undecoded.
        case restart
        /// All that were kept are decoded, and this one.
        case wake
        /// Neither decoded nor kept.
        case leave
    }

    /// Whether nothing was seen to move of late: only then it dozes.
    var isStill = false

    /// Seconds between two glances, at least.
    private static let rest = 0.45
    /// Seconds without a glance, at most: where pictures that need no other are rare, all are decoded.
    private static let blindness = 2.5
    /// Seconds for which all are decoded after packets have grown.
    private static let alert = 1.0
    /// Bytes that are kept at most.
    private static let room = 4 << 20
    /// Packets that tell how large one is while nothing moves.
    private static let sample = 32
    /// As many have to be known before one can be large.
    private static let leastSample = 8
    /// How many times larger a picture that needs no other is than those that do, where these tell something.
    private static let telling = 8

    /// Seconds between two pictures that anybody looks at; 0 where pictures in between are needed for the next.
    private let spacing: Double
    private var isDozing = false
    private var sizes: [Int] = []
    private var glanced = -Double.infinity
    private var decoded = -Double.infinity
    private var alertUntil = -Double.infinity
    private var kept = 0

    /// - Parameter isIntraOnly: whether no picture needs another one.
    init(looksPerSecond: Double, isIntraOnly: Bool) {
        spacing = isIntraOnly ? 0.9 / looksPerSecond : 0
    }

    mutating func step(_ packet: Packet) -> Step {
        let isLarge = !packet.isKey && isLarge(packet.bytes)
        // A clock that was set back begins anew.
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

    /// Larger than those of late by more than chance.
    private mutating func isLarge(_ bytes: Int) -> Bool {
        let isLarge = sizes.count >= Self.leastSample && Double(bytes) > Double(sizes.max() ?? 0) * 1.25 + 256
        if sizes.count >= Self.sample { sizes.removeFirst() }
        sizes.append(bytes)
        return isLarge
    }

    /// The median of late, in bytes.
    private var usual: Int { sizes.isEmpty ? 0 : sizes.sorted()[sizes.count / 2] }
}
