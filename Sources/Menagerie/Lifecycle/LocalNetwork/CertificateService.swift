import HTTP
import Logging
import ServiceLifecycle

/// Renews the certificate for the local network while the service runs, and uses it for new connections.
struct CertificateService: Service {
    private static let interval = Duration.seconds(6 * 3600)

    let network: LocalNetwork
    let server: Server
    let logger: Logger

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while (try? await Task.sleep(for: Self.interval)) != nil {
                do {
                    guard try network.renew() else { continue }
                    try server.reloadCertificates()
                    logger.notice("The certificate was renewed")
                } catch {
                    logger.error("The certificate cannot be renewed", metadata: ["error": "\(error)"])
                }
            }
        }
    }
}
