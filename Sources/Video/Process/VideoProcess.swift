import Base
import CSystemCalls
import Foundation
import Glibc

/// A worker process as its parent sees it: messages are read one by one, when they are wanted; the worker waits meanwhile.
///
/// Whatever the worker does, the parent holds one message of bounded size, waits for a bounded time and then kills it.
package final class VideoProcess: Sendable {
    private struct State {
        /// nil once it was waited for.
        var process: pid_t?
        var isCancelled = false
        /// Why nothing more comes.
        var ended: Result<Void, VideoError>?
    }

    private let descriptor: CInt
    private let order: WorkerOrder
    private let state: Locked<State>
    private let pool = BlockingPool(label: "menagerie.video", width: 1, maximumPending: 4)

    /// - Parameters:
    ///   - program: the executable of this product.
    ///   - input: the video, open for reading; nil for `live`. Stays the caller's.
    ///   - drawing: open for reading from its start; only for `annotate`.
    ///   - output: open for reading and writing; only for `annotate`.
    /// - Throws: ``VideoError/system(_:)`` where no process can be started.
    package init(
        _ order: WorkerOrder, program: VideoProgram, input: CInt?, drawing: CInt? = nil, output: CInt? = nil
    ) throws(VideoError) {
        var ends: [CInt] = [-1, -1]
        guard menagerie_pipe(&ends) == 0 else { throw .system("pipe: \(String(cString: strerror(errno)))") }
        // Fewer turns between the two for each picture.
        _ = menagerie_set_pipe_size(ends[0], 1 << 20)
        self.order = order
        descriptor = ends[0]
        do throws(VideoError) {
            let process = try program.spawn(
                order,
                descriptors: [
                    (input, WorkerDescriptor.input), (ends[1], WorkerDescriptor.messages),
                    (drawing, WorkerDescriptor.drawing), (output, WorkerDescriptor.output),
                ])
            state = Locked(State(process: process))
        } catch {
            close(ends[0])
            close(ends[1])
            throw error
        }
        // Otherwise the end of the worker would not be the end of the pipe.
        close(ends[1])
    }

    deinit {
        end()
        close(descriptor)
    }

    /// The next message; nil after the last. Cancelling the task kills the worker.
    ///
    /// - Throws: what the worker reports, or what it ended from.
    package func next() async throws(VideoError) -> WorkerMessage? {
        do {
            return try await withTaskCancellationHandler {
                try await pool.run(whenFull: { _ in VideoError.system("a worker is read by several at once") }) {
                    [self] () throws(VideoError) in try read()
                }
            } onCancel: {
                cancel()
            }
        } catch let error as VideoError {
            throw error
        } catch {
            throw .cancelled
        }
    }

    /// Kills the worker; whoever waits for a message is thrown ``VideoError/cancelled``.
    package func cancel() {
        state.withLock { state in
            state.isCancelled = true
            if let process = state.process { kill(process, SIGKILL) }
        }
    }

    /// The number of the worker's process, while that lives.
    package var identifier: Int32? { state.withLock { $0.process } }

    private func read() throws(VideoError) -> WorkerMessage? {
        if let ended = state.withLock({ $0.ended }) {
            try ended.get()
            return nil
        }
        do throws(VideoError) {
            guard let header = try bytes(WorkerMessage.headerSize) else { throw ending() }
            guard let length = WorkerMessage.length(header: header, pixels: order.limits.pixels),
                let payload = try bytes(length), let message = WorkerMessage(header: header, payload: payload)
            else { throw ending() }
            switch message {
            case .failure(let error):
                throw error
            case .end:
                finish(.success(()))
            case .info, .frame, .progress:
                break
            }
            return message
        } catch {
            let error = state.withLock { $0.isCancelled } ? VideoError.cancelled : error
            finish(.failure(error))
            throw error
        }
    }

    /// Exactly so many; nil where the pipe ends before.
    private func bytes(_ count: Int) throws(VideoError) -> [UInt8]? {
        guard count > 0 else { return [] }
        let deadline = ContinuousClock.now + .seconds(order.limits.patience)
        var isLate = false
        var filled = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while filled < count {
                let left = Int32(clamping: Int(((deadline - .now) / .milliseconds(1)).rounded(.up)))
                var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                let ready = left > 0 ? poll(&poller, 1, left) : 0
                if ready < 0, errno == EINTR { continue }
                guard ready > 0 else {
                    isLate = true
                    break
                }
                let result = Glibc.read(descriptor, buffer.baseAddress?.advanced(by: filled), count - filled)
                if result < 0, errno == EINTR { continue }
                guard result > 0 else { break }
                filled += result
            }
            initialized = filled
        }
        if isLate { throw .stalled(seconds: order.limits.patience) }
        return filled == count ? bytes : nil
    }

    /// Why a worker that said nothing last has ended.
    private func ending() -> VideoError {
        guard let status = end() else { return .system("the decoder's process was lost") }
        let signal = status & 0x7F
        switch signal {
        case 0: return .system("the decoder's process ended with status \((status >> 8) & 0xFF)")
        case SIGXCPU: return .overLimit("\(order.limits.processorTime) s of processor time")
        case SIGXFSZ: return .overLimit("\(order.limits.outputBytes) bytes for the annotated file")
        default: return .crashed(signal: signal)
        }
    }

    private func finish(_ result: Result<Void, VideoError>) {
        end()
        state.withLock { $0.ended = $0.ended ?? result }
    }

    /// Kills the worker, unless it has ended, and waits for it.
    ///
    /// - Returns: the status that waitpid(2) gives; nil where that was asked before.
    @discardableResult private func end() -> Int32? {
        // Within the lock: nobody may kill a process of that number once it was waited for. A process that is killed, or
        // has closed its pipe, ends at once.
        state.withLock { state in
            guard let process = state.process else { return nil }
            state.process = nil
            var status: Int32 = 0
            // One that has died by itself keeps its status.
            if waitpid(process, &status, WNOHANG) == process { return status }
            var tries = 0
            while tries < 50 {
                usleep(2000)
                if waitpid(process, &status, WNOHANG) == process { return status }
                tries += 1
            }
            kill(process, SIGKILL)
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            return status
        }
    }
}
