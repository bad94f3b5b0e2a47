import API
import Logging
import ServiceLifecycle

/// Notices when the file of keys changes: a key that was removed lets nobody in a moment later.
struct KeysService: Service {
    /// Between two looks at the file, each of which is one system call.
    private static let interval = Duration.seconds(1)

    let access: AccessControl
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: Self.interval)) != nil {
                do {
                    if try access.reloadKeysIfChanged() { logger.notice("Keys read again") }
                } catch {
                    logger.error("The keys cannot be used; those before stay", metadata: ["error": "\(error)"])
                }
            }
        }
    }
}
