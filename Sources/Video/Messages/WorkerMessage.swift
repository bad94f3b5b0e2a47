import Foundation
import Imaging

/// What a worker tells: one byte for the kind, four for the length of what follows (little-endian), and that.
package enum WorkerMessage: Sendable, Equatable {
    /// What the video says of itself; comes first.
    case info(VideoInfo)
    case frame(VideoFrame)
    /// A sign of life: microseconds of the video that are done.
    case progress(Int64)
    /// Comes last where all went well.
    case end(VideoEnding)
    /// Comes last where it did not.
    case failure(VideoError)

    private enum Kind: UInt8 {
        case info = 0x69
        case frame = 0x66
        case progress = 0x70
        case end = 0x65
        case failure = 0x78
    }

    package static let headerSize = 5
    /// Of a frame, before its pixels: time, width, height, and whether it is lively.
    private static let frameHeaderSize = 17
    /// Largest text of any other message in bytes.
    private static let textLimit = 1 << 16

    /// The bytes that follow a header; nil for a header that no worker writes.
    ///
    /// - Parameter order: what the worker was told to do: how large its pictures may be depends on it.
    package static func length(header: [UInt8], for order: WorkerOrder) -> Int? {
        guard header.count == headerSize, let kind = Kind(rawValue: header[0]) else { return nil }
        let length = header[1...].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard kind == .frame else { return length <= textLimit ? length : nil }
        let pixels = order.side.map { Double($0) * Double($0) } ?? Double(order.limits.pixels)
        return length > frameHeaderSize && Double(length - frameHeaderSize) <= pixels * 3 ? length : nil
    }

    /// nil for what no worker writes that is in its right mind; see `WorkerMessage+Rules.swift`.
    ///
    /// - Parameter payload: as many bytes as the header says.
    package init?(header: [UInt8], payload: [UInt8], for order: WorkerOrder) {
        self.init(header: header, payload: payload)
        guard isPlausible(for: order) else { return nil }
    }

    private init?(header: [UInt8], payload: [UInt8]) {
        guard let kind = header.first.flatMap(Kind.init) else { return nil }
        let decoder = JSONDecoder()
        switch kind {
        case .info:
            guard let info = try? decoder.decode(VideoInfo.self, from: Data(payload)) else { return nil }
            self = .info(info)
        case .end:
            guard let ending = try? decoder.decode(VideoEnding.self, from: Data(payload)) else { return nil }
            self = .end(ending)
        case .failure:
            guard let error = try? decoder.decode(VideoError.self, from: Data(payload)) else { return nil }
            self = .failure(error)
        case .progress:
            guard payload.count == 8 else { return nil }
            self = .progress(Int64(littleEndianBytes: payload[0..<8]))
        case .frame:
            guard payload.count > Self.frameHeaderSize else { return nil }
            let time = Int64(littleEndianBytes: payload[0..<8])
            let width = Int(UInt32(truncatingIfNeeded: Int64(littleEndianBytes: payload[8..<12])))
            let height = Int(UInt32(truncatingIfNeeded: Int64(littleEndianBytes: payload[12..<16])))
            // The product of such numbers may be beyond an Int; the count of the bytes is not.
            let (rows, rest) = (payload.count - Self.frameHeaderSize).quotientAndRemainder(
                dividingBy: max(1, width) * 3)
            guard width > 0, height > 0, rows == height, rest == 0 else { return nil }
            let bytes = Array(payload[Self.frameHeaderSize...])
            self = .frame(
                VideoFrame(
                    time: time, picture: PixelBuffer(width: width, height: height, bytes: bytes),
                    isLively: payload[16] != 0))
        }
    }

    /// Header and payload.
    package var bytes: [UInt8] {
        switch self {
        case .info(let info): Self.message(.info, Self.json(info))
        case .end(let ending): Self.message(.end, Self.json(ending))
        case .failure(let error): Self.message(.failure, Self.json(error))
        case .progress(let time): Self.message(.progress, time.littleEndianBytes(8))
        case .frame(let frame):
            Self.message(
                .frame,
                frame.time.littleEndianBytes(8) + Int64(frame.picture.width).littleEndianBytes(4)
                    + Int64(frame.picture.height).littleEndianBytes(4) + [frame.isLively ? 1 : 0], frame.picture.bytes)
        }
    }

    private static func json(_ value: some Encodable) -> [UInt8] {
        // Plain values, of which none fails to encode.
        ((try? JSONEncoder().encode(value)) ?? Data()).prefix(textLimit).map(\.self)
    }

    private static func message(_ kind: Kind, _ head: [UInt8], _ rest: [UInt8] = []) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(headerSize + head.count + rest.count)
        bytes.append(kind.rawValue)
        bytes += Int64(head.count + rest.count).littleEndianBytes(4)
        bytes += head
        bytes += rest
        return bytes
    }
}

extension Int64 {
    fileprivate func littleEndianBytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: self >> (8 * Int64($0))) }
    }

    fileprivate init(littleEndianBytes bytes: ArraySlice<UInt8>) {
        self = Int64(bitPattern: bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}
