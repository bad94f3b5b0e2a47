import API
import Logging
import ServiceLifecycle

/// Notices when the keys change, and which sessions were ended elsewhere: what was removed lets nobody in a moment later.
struct KeysService: Service {
    /// Between two looks at a small file or some rows. Being told of a change would spare them, and miss one where a connection
    /// is dead but has not been found to be.
    private static let interval = Duration.milliseconds(500)

    let access: AccessControl
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var isTold = false
            while (try? await Task.sleep(for: Self.interval)) != nil {
                do {
                    if try await access.reloadKeysIfChanged() { logger.notice("Keys read again") }
                } catch {
                    logger.error("The keys cannot be used; those before stay", metadata: ["error": "\(error)"])
                }
                do {
                    try await access.readEndedSessions()
                    isTold = false
                } catch {
                    if !isTold {
                        logger.error(
                            "Sessions that were ended at other replicas are not known", metadata: ["error": "\(error)"])
                    }
                    isTold = true
                }
            }
        }
    }
}
