import CFFmpeg

/// Packets that wait for being decoded. Not sendable: it lives on the thread that decodes.
final class KeptPackets {
    private var packets: [UnsafeMutablePointer<AVPacket>?] = []

    deinit { removeAll() }

    /// Shares the bytes of a packet, which stays the caller's.
    func append(_ packet: UnsafeMutablePointer<AVPacket>) throws(VideoError) {
        guard let copy = av_packet_clone(packet) else { throw .overLimit("memory") }
        packets.append(copy)
    }

    /// The oldest one, to be freed by the caller.
    func removeFirst() -> UnsafeMutablePointer<AVPacket>? {
        packets.isEmpty ? nil : packets.removeFirst()
    }

    func removeAll() {
        for index in packets.indices { av_packet_free(&packets[index]) }
        packets = []
    }
}
