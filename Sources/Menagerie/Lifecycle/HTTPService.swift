import API
import Glibc
import HTTP
import Logging
import ServiceLifecycle
import UnixSignals

/// Runs the server until the process is told to stop, then drains it.
struct HTTPService: Service {
    let server: Server
    let access: AccessControl
    /// Whether it speaks HTTPS.
    let isSecure: Bool
    let readiness: Readiness
    let announcer: Announcer
    /// The phones that are told how to come; nil without `--lan`.
    let network: LocalNetwork?
    /// How long it still serves after it was told to stop, so that balancers see that it is not ready before they meet a
    /// closed door.
    let drainDelay: Duration
    let logger: Logger

    func run() async throws {
        let addresses = try server.start()
        readiness.becomeReady()
        for address in addresses {
            logger.notice(
                "Listening", metadata: ["address": "\(address)", "url": "\(address.url(isSecure: isSecure))"])
        }
        if let network, let port = addresses.first?.port {
            // Not through the log, which may be kept and sent on: the key stands in it.
            print(network.welcome(port: Int(port)))
            fflush(nil)
        }
        announcer.ready(at: addresses.map { $0.url(isSecure: isSecure) })
        await cancelWhenGracefulShutdown { await reloadOnHangup() }
        readiness.becomeUnready("The service is stopping.")
        announcer.stopping()
        if drainDelay > .zero {
            logger.notice("Serving on until balancers have noticed", metadata: ["delay": "\(drainDelay)"])
            try? await Task.sleep(for: drainDelay)
        }
        logger.notice("Stopping", metadata: ["connections": "\(server.connections)"])
        await server.shutdown()
    }

    /// Reads certificates and keys again whenever the process is sent SIGHUP; returns when it is told to stop.
    private func reloadOnHangup() async {
        for await _ in await UnixSignalsSequence(trapping: .sighup) {
            do {
                try server.reloadCertificates()
                logger.notice("Certificates read again")
            } catch {
                logger.error("The certificates cannot be used; those before stay", metadata: ["error": "\(error)"])
            }
            do {
                try await access.reloadKeys()
                logger.notice("Keys read again")
            } catch {
                logger.error("The keys cannot be used; those before stay", metadata: ["error": "\(error)"])
            }
        }
    }
}

extension BoundAddress {
    /// What to type into a browser on this machine.
    fileprivate func url(isSecure: Bool) -> String {
        guard port != 0 else { return "http+unix://\(host)" }
        let name = host == "0.0.0.0" || host == "::" ? "localhost" : host
        return "\(isSecure ? "https" : "http")://\(name.contains(":") ? "[\(name)]" : name):\(port)/"
    }
}
