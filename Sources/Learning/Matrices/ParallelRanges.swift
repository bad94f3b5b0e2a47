import Glibc

/// Spreads work over threads that end with the work.
///
/// The threads have the nice value of the calling thread, so that background work stays in the background.
enum ParallelRanges {
    /// `@unchecked Sendable`: each thread runs the body on its own ranges, and the caller waits for all.
    private final class Work: @unchecked Sendable {
        let body: (Range<Int>) -> Void
        let range: Range<Int>

        init(_ range: Range<Int>, _ body: @escaping (Range<Int>) -> Void) {
            self.range = range
            self.body = body
        }
    }

    /// Calls the body once for each of several ranges that make up `0..<count`. Their lengths, except the last, are
    /// multiples of `grain`. The body must give the same result however the ranges are cut.
    static func run(count: Int, grain: Int, threads: Int, _ body: (Range<Int>) -> Void) {
        let grains = (count + grain - 1) / grain
        let parts = max(1, min(threads, grains))
        guard parts > 1 else { return body(0..<count) }
        withoutActuallyEscaping(body) { body in
            let ranges = (0..<parts).map { part in
                min(count, part * grains / parts * grain)..<min(count, (part + 1) * grains / parts * grain)
            }
            var handles: [pthread_t] = []
            for range in ranges.dropFirst() {
                let work = Unmanaged.passRetained(Work(range, body))
                var handle = pthread_t()
                let code = pthread_create(
                    &handle, nil,
                    { argument in
                        guard let argument else { return nil }
                        let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
                        work.body(work.range)
                        return nil
                    }, work.toOpaque())
                if code == 0 {
                    handles.append(handle)
                } else {
                    work.release()
                    body(range)
                }
            }
            body(ranges[0])
            for handle in handles { pthread_join(handle, nil) }
        }
    }
}
