package import Base
import Foundation

/// A worker process from its parent's side. The worker waits until the parent asks for the next message.
///
/// Whatever the worker does, the parent holds only one message, of bounded size and checked against the rules.
package final class VideoProcess: Sendable {
    private let process: HelperProcess
    private let order: WorkerOrder
    /// The reason why no more messages come. Nil while more may come.
    private let ended = Locked<Result<Void, VideoError>?>(nil)
    private let pool = BlockingPool(label: "menagerie.video", width: 1, maximumPending: 4)

    /// - Parameters:
    ///   - program: the executable of this product.
    ///   - input: the video, open for reading. Nil for an address. The caller keeps it.
    ///   - drawing: open for reading from its start. Only for `annotate`.
    ///   - output: open for reading and writing. Only for `annotate`.
    /// - Throws: ``VideoError/system(_:)`` if no process can be started.
    package init(
        _ order: WorkerOrder, program: HelperProgram, input: Int32?, drawing: Int32? = nil, output: Int32? = nil
    ) throws(VideoError) {
        self.order = order
        // An address may hold a password, and `ps` shows command lines to others. A pipe hides it.
        var (spoken, input) = (order, input)
        var address: Pipe?
        if let secret = order.address {
            let pipe = try Self.pipe(holding: secret)
            input = pipe.fileHandleForReading.fileDescriptor
            address = pipe
            spoken.address = ""
        }
        defer { try? address?.fileHandleForReading.close() }
        guard let text = try? JSONEncoder().encode(spoken) else { throw .system("the order cannot be written") }
        do throws(ProcessError) {
            process = try HelperProcess(
                program, [VideoWorker.command, String(decoding: text, as: UTF8.self)],
                descriptors: [
                    (input, WorkerDescriptor.input), (drawing, WorkerDescriptor.drawing),
                    (output, WorkerDescriptor.output),
                ])
        } catch {
            throw .system(error.description)
        }
    }

    private static func pipe(holding address: String) throws(VideoError) -> Pipe {
        guard address.utf8.count <= VideoAddress.longest else {
            throw .unreachable("An address has at most \(VideoAddress.longest) bytes.")
        }
        let pipe = Pipe()
        do {
            // A pipe holds that much without a reader.
            try pipe.fileHandleForWriting.write(contentsOf: Data(address.utf8))
            try pipe.fileHandleForWriting.close()
        } catch {
            throw .system("no pipe can be written")
        }
        return pipe
    }

    /// The next message. Nil after the last. Cancelling the task kills the worker.
    ///
    /// - Throws: the worker's error, or the reason for its end.
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

    /// Kills the worker. A waiting `next` throws ``VideoError/cancelled``.
    package func cancel() { process.cancel() }

    /// The id of the worker's process and of its group, while the process lives.
    package var identifier: Int32? { process.identifier }

    private func read() throws(VideoError) -> WorkerMessage? {
        if let ended = ended.withLock({ $0 }) {
            try ended.get()
            return nil
        }
        do throws(VideoError) {
            let header = try bytes(WorkerMessage.headerSize)
            guard let length = WorkerMessage.length(header: header, for: order) else { throw ending() }
            let payload = try bytes(length)
            guard payload.count == length, let message = WorkerMessage(header: header, payload: payload, for: order)
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
            let error = process.isCancelled ? VideoError.cancelled : error
            finish(.failure(error))
            throw error
        }
    }

    private func bytes(_ count: Int) throws(VideoError) -> [UInt8] {
        do throws(HelperProcess.Late) {
            return try process.read(count, patience: order.limits.patience)
        } catch {
            throw .stalled(seconds: order.limits.patience)
        }
    }

    /// The reason for the end of a worker that sent no last message, or an invalid one.
    private func ending() -> VideoError {
        switch process.end() {
        case nil: .system("the decoder's process was lost")
        // The worker's own status, and the loader's if a library is missing.
        case .status(VideoWorker.misuse), .status(127): .system("the decoder's process cannot be used")
        case .status: .crashed(signal: 0)
        case .signal(SIGXCPU): .overLimit("\(order.limits.processorTime) s of processor time")
        case .signal(SIGXFSZ): .overLimit("\(order.limits.outputBytes) bytes for the annotated file")
        case .signal(let signal): .crashed(signal: signal)
        }
    }

    private func finish(_ result: Result<Void, VideoError>) {
        process.end()
        ended.withLock { $0 = $0 ?? result }
    }
}
