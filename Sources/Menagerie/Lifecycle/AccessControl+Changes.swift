import Logging
import Security

extension AccessControl {
    /// The time between two checks of a small file or a few rows. Notifications would be lost on a dead connection that
    /// nobody has noticed yet.
    private static let interval = Duration.milliseconds(500)

    /// Notices changed keys and sessions that ended elsewhere, so that removed ones stop working a moment later. Returns
    /// when the task is cancelled.
    func followChanges(_ logger: Logger) async {
        var isTold = false
        while (try? await Task.sleep(for: Self.interval)) != nil {
            await reloadKeys(isNeeded: false, logger)
            do {
                try await readEndedSessions()
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

    /// Reads the keys again, if they have changed or it is needed.
    func reloadKeys(isNeeded: Bool, _ logger: Logger) async {
        do {
            if try await reloadKeys(isNeeded: isNeeded) { logger.notice("Keys read again") }
        } catch {
            logger.error("The keys cannot be used; those before stay", metadata: ["error": "\(error)"])
        }
    }
}
