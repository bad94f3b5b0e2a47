import Foundation
import Imaging

/// A message of a worker: one byte for the kind, four for the length of the payload (little-endian), and the payload.
package enum WorkerMessage: Sendable, Equatable {
    /// The description of the video. It comes first.
    case info(VideoInfo)
    case frame(VideoFrame)
    /// A sign of life with the microseconds of the video done so far.
    case progress(Int64)
    /// The last message after success.
    case end(VideoEnding)
    /// The last message after a failure.
    case failure(VideoError)

    private enum Kind: UInt8 {
        case info = 0x69
        case frame = 0x66
        case progress = 0x70
        case end = 0x65
        case failure = 0x78
    }

    package static let headerSize = 5
    /// The bytes of a frame before its pixels: time, width, height, and whether it is lively.
    private static let frameHeaderSize = 17
    /// The largest text of any other message, in bytes.
    private static let textLimit = 1 << 16

    /// The length of the payload after a header. Nil for a header that no worker sends.
    ///
    /// - Parameter order: the worker's order, which limits the size of its pictures.
    package static func length(header: [UInt8], for order: WorkerOrder) -> Int? {
        guard header.count == headerSize, let kind = Kind(rawValue: header[0]) else { return nil }
        let length = header[1...].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard kind == .frame else { return length <= textLimit ? length : nil }
        let pixels = order.side.map { Double($0) * Double($0) } ?? Double(order.limits.pixels)
        return length > frameHeaderSize && Double(length - frameHeaderSize) <= pixels * 3 ? length : nil
    }

    /// Nil for a message that breaks the rules below.
    ///
    /// - Parameter payload: as many bytes as the header announces.
    package init?(header: [UInt8], payload: [UInt8], for order: WorkerOrder) {
        guard let kind = header.first.flatMap(Kind.init), let message = Self.message(of: kind, payload),
            message.isPlausible(for: order)
        else { return nil }
        self = message
    }

    private static func message(of kind: Kind, _ payload: [UInt8]) -> WorkerMessage? {
        func decoded<Value: Decodable>(_ message: (Value) -> WorkerMessage) -> WorkerMessage? {
            (try? JSONDecoder().decode(Value.self, from: Data(payload))).map(message)
        }
        switch kind {
        case .info: return decoded(WorkerMessage.info)
        case .end: return decoded(WorkerMessage.end)
        case .failure: return decoded(WorkerMessage.failure)
        case .progress:
            guard payload.count == 8 else { return nil }
            return .progress(Int64(littleEndianBytes: payload[0..<8]))
        case .frame:
            guard payload.count > frameHeaderSize else { return nil }
            let time = Int64(littleEndianBytes: payload[0..<8])
            let width = Int(UInt32(truncatingIfNeeded: Int64(littleEndianBytes: payload[8..<12])))
            let height = Int(UInt32(truncatingIfNeeded: Int64(littleEndianBytes: payload[12..<16])))
            // The product of these numbers may overflow an Int, so the number of bytes is divided instead.
            let (rows, rest) = (payload.count - frameHeaderSize).quotientAndRemainder(
                dividingBy: max(1, width) * 3)
            guard width > 0, height > 0, rows == height, rest == 0 else { return nil }
            let bytes = Array(payload[frameHeaderSize...])
            return .frame(
                VideoFrame(
                    time: time, picture: PixelBuffer(width: width, height: height, bytes: bytes),
                    isLively: payload[16] != 0))
        }
    }

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
        // Encoding these plain values never fails.
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

/// The rules for a worker's messages. A malicious video may take over the worker, which can then send anything.
extension WorkerMessage {
    /// The most characters of a name, and of a sentence.
    private static let (nameLimit, sentenceLimit) = (64, 500)
    /// The most pixels of a side. Stored pixels may be ten times as wide as high.
    private static let sideLimit = 10 << 20

    func isPlausible(for order: WorkerOrder) -> Bool {
        let longest = order.address != nil ? Double(Int64.max) : order.limits.duration * 1_000_000
        func isTime(_ time: Int64) -> Bool { time >= 0 && Double(time) <= longest }
        switch self {
        case .info(let info):
            return Self.isPlausible(info, duration: order.address != nil ? .infinity : order.limits.duration)
        case .frame(let frame):
            let side = max(frame.picture.width, frame.picture.height)
            return isTime(frame.time) && order.side.map { side <= $0 } ?? true
        case .progress(let time):
            return isTime(time)
        case .end(let ending):
            return ending.frames >= 0 && ending.damaged >= 0 && isTime(ending.last) && ending.warnings.count <= 8
                && ending.warnings.allSatisfy { $0.detail.count <= Self.sentenceLimit && $0.count ?? 0 >= 0 }
        case .failure(let error):
            return error.description.count <= Self.sentenceLimit
        }
    }

    private static func isPlausible(_ info: VideoInfo, duration limit: Double) -> Bool {
        let names = [info.container, info.codec, info.audioCodec ?? ""]
        let sides = 1...sideLimit
        return sides.contains(info.width) && sides.contains(info.height)
            && names.allSatisfy { $0.utf8.count <= nameLimit && $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } }
            && info.duration.map { $0 >= 0 && $0 <= limit } ?? true
            && info.framesPerSecond.map { $0 > 0 && $0 < VideoInfo.ratesBelow } ?? true
            && info.frames.map { $0 >= 0 && Double($0) <= limit * VideoInfo.ratesBelow } ?? true
    }
}
