import API
import HTTP
import Logging
import ServiceLifecycle

/// Runs the server until the process is told to stop, then drains it.
struct HTTPService: Service {
    let server: Server
    let readiness: Readiness
    let logger: Logger

    func run() async throws {
        let addresses = try server.start()
        readiness.becomeReady()
        for address in addresses {
            logger.notice("Listening", metadata: ["address": "\(address)", "url": "\(address.url)"])
        }
        try? await gracefulShutdown()
        readiness.becomeUnready("The service is stopping.")
        logger.notice("Stopping", metadata: ["connections": "\(server.connections)"])
        await server.shutdown()
    }
}

extension BoundAddress {
    /// What to type into a browser on this machine.
    fileprivate var url: String {
        guard port != 0 else { return "http+unix://\(host)" }
        let name = host == "0.0.0.0" || host == "::" ? "localhost" : host
        return "http://\(name.contains(":") ? "[\(name)]" : name):\(port)/"
    }
}
