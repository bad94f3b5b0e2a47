import Logging
import Security
import ServiceLifecycle

/// Notices changed keys and sessions that ended elsewhere, so that removed ones stop working a moment later.
struct KeysService: Service {
    /// The time between two checks of a small file or a few rows. Notifications would be lost on a dead connection that
    /// nobody has noticed yet.
    private static let interval = Duration.milliseconds(500)

    let access: AccessControl
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var isTold = false
            while (try? await Task.sleep(for: Self.interval)) != nil {
                do {
                    if try await access.reloadKeys(isNeeded: false) { logger.notice("Keys read again") }
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
