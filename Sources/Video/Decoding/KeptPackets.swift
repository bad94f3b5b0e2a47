import CFFmpeg

/// Packets that wait for decoding. Not sendable: it stays on the thread that decodes.
final class KeptPackets {
    private var packets: [UnsafeMutablePointer<AVPacket>?] = []

    deinit { removeAll() }

    /// Shares the bytes of a packet. The caller keeps the packet itself.
    func append(_ packet: UnsafeMutablePointer<AVPacket>) throws(VideoError) {
        guard let copy = av_packet_clone(packet) else { throw .overLimit("memory") }
        packets.append(copy)
    }

    /// The oldest packet. The caller must free it.
    func removeFirst() -> UnsafeMutablePointer<AVPacket>? {
        packets.isEmpty ? nil : packets.removeFirst()
    }

    func removeAll() {
        for index in packets.indices { av_packet_free(&packets[index]) }
        packets = []
    }
}
