import API
import Glibc
import HTTP
import Logging
import Security
import ServiceLifecycle
import UnixSignals

/// Runs the server until the process is told to stop, then drains it.
struct HTTPService: Service {
    let server: Server
    let access: AccessControl
    let isSecure: Bool
    let readiness: Readiness
    let announcer: Announcer
    /// The phones that get instructions to connect. Nil without `--lan`.
    let network: LocalNetwork?
    /// The time that the service goes on serving after it was told to stop. Load balancers then see that it is not
    /// ready before connections are refused.
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
            // The text contains the key, so it stays out of the log, which may be stored and forwarded.
            print(network.welcome(port: Int(port)))
            fflush(nil)
        }
        announcer.ready(at: addresses.map { $0.url(isSecure: isSecure) })
        await cancelWhenGracefulShutdown {
            async let _ = checkCertificateDaily()
            await reloadOnHangup()
        }
        readiness.becomeUnready("The service is stopping.")
        announcer.stopping()
        if drainDelay > .zero {
            logger.notice("Serving on until balancers have noticed", metadata: ["delay": "\(drainDelay)"])
            try? await Task.sleep(for: drainDelay)
        }
        logger.notice("Stopping", metadata: ["connections": "\(server.connections)"])
        await server.shutdown()
    }

    /// The start and each reload check it too.
    private func checkCertificateDaily() async {
        while (try? await Task.sleep(for: .seconds(86_400))) != nil { server.checkCertificate() }
    }

    /// Reads certificates and keys again on every SIGHUP. Returns when the service is told to stop.
    private func reloadOnHangup() async {
        for await _ in await UnixSignalsSequence(trapping: .sighup) {
            do {
                try server.reloadCertificates()
                if isSecure { logger.notice("Certificates read again") }
            } catch {
                logger.error("The certificates cannot be used; those before stay", metadata: ["error": "\(error)"])
            }
            await access.reloadKeys(isNeeded: true, logger)
        }
    }
}

extension BoundAddress {
    /// The address to type into a browser on this machine.
    fileprivate func url(isSecure: Bool) -> String {
        guard port != 0 else { return "http+unix://\(host)" }
        let name = host == "0.0.0.0" || host == "::" ? "localhost" : host
        return "\(isSecure ? "https" : "http")://\(name.contains(":") ? "[\(name)]" : name):\(port)/"
    }
}
