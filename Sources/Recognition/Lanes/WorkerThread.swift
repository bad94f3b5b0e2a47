import Glibc

/// A named thread for work that blocks or computes and must stay off the cooperative pool.
struct WorkerThread: Sendable {
    private let thread: pthread_t

    /// - Parameters:
    ///   - name: shown by `top -H` and debuggers. Linux keeps 15 bytes.
    ///   - body: runs on the new thread until it returns.
    /// - Throws: ``RecognitionError/threadNotStarted(code:)`` if the system has no more threads.
    init(name: String, _ body: @escaping @Sendable () -> Void) throws(RecognitionError) {
        let box = Unmanaged.passRetained(Body(name: name, run: body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                WorkerThread.nameCurrentThread(body.name)
                body.run()
                return nil
            }, box.toOpaque())
        guard code == 0 else {
            box.release()
            throw .threadNotStarted(code: code)
        }
        self.thread = thread
    }

    /// Waits for the body to return. Call it once.
    func join() { pthread_join(thread, nil) }

    /// Glibc's module lacks pthread_setname_np. The kernel also takes the name through a file (proc(5)).
    private static func nameCurrentThread(_ name: String) {
        guard let file = fopen("/proc/thread-self/comm", "w") else { return }
        fputs(name, file)
        fclose(file)
    }

    private final class Body {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }
}
