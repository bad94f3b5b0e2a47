import Glibc

/// A thread for work that blocks or computes and must stay off the cooperative pool.
package struct WorkerThread: Sendable {
    /// The system has no more threads.
    package struct NotStarted: Error {
        /// The error number of pthread_create(3).
        package let code: CInt
    }

    private let thread: pthread_t

    /// - Parameters:
    ///   - name: shown by `top -H` and debuggers. Linux keeps 15 bytes. Nil keeps the name of the process.
    ///   - body: runs on the new thread until it returns.
    package init(name: String? = nil, _ body: @escaping @Sendable () -> Void) throws(NotStarted) {
        let box = Unmanaged.passRetained(Body(name: name, run: body))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                if let name = body.name { WorkerThread.nameCurrentThread(name) }
                body.run()
                return nil
            }, box.toOpaque())
        guard code == 0 else {
            box.release()
            throw NotStarted(code: code)
        }
        self.thread = thread
    }

    /// Waits for the body to return. Call it once.
    package func join() { pthread_join(thread, nil) }

    /// Glibc's module lacks pthread_setname_np. The kernel also takes the name through a file (proc(5)).
    private static func nameCurrentThread(_ name: String) {
        guard let file = fopen("/proc/thread-self/comm", "w") else { return }
        fputs(name, file)
        fclose(file)
    }

    private final class Body {
        let name: String?
        let run: @Sendable () -> Void

        init(name: String?, run: @escaping @Sendable () -> Void) {
            self.name = name
            self.run = run
        }
    }
}
