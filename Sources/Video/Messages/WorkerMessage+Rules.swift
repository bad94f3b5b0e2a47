import Imaging

/// The rules for a worker's messages. A malicious video may take over the worker, which can then send anything.
extension WorkerMessage {
    /// The most characters of a name, and of a sentence.
    private static let (nameLimit, sentenceLimit) = (64, 500)
    /// The most pixels of a side. Stored pixels may be ten times as wide as high.
    private static let sideLimit = 10 << 20

    func isPlausible(for order: WorkerOrder) -> Bool {
        let longest = order.command.opensAddress ? Double(Int64.max) : order.limits.duration * 1_000_000
        func isTime(_ time: Int64) -> Bool { time >= 0 && Double(time) <= longest }
        switch self {
        case .info(let info):
            return Self.isPlausible(info, duration: order.command.opensAddress ? .infinity : order.limits.duration)
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
