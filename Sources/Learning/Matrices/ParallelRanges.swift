import Base

/// Spreads work over threads that end with the work.
///
/// The threads have the nice value of the calling thread, so that background work stays in the background.
enum ParallelRanges {
    /// Calls the body once for each of several ranges that make up `0..<count`. Their lengths, except the last, are
    /// multiples of `grain`. The body must give the same result however the ranges are cut.
    static func run(count: Int, grain: Int, threads: Int, _ body: (Range<Int>) -> Void) {
        let grains = (count + grain - 1) / grain
        let parts = max(1, min(threads, grains))
        guard parts > 1 else { return body(0..<count) }
        withoutActuallyEscaping(body) { body in
            // Each thread runs the body on its own ranges, and this one waits for all.
            nonisolated(unsafe) let body = body
            let ranges = (0..<parts).map { part in
                min(count, part * grains / parts * grain)..<min(count, (part + 1) * grains / parts * grain)
            }
            var others: [WorkerThread] = []
            for range in ranges.dropFirst() {
                do { others.append(try WorkerThread { body(range) }) } catch { body(range) }
            }
            body(ranges[0])
            for thread in others { thread.join() }
        }
    }
}
