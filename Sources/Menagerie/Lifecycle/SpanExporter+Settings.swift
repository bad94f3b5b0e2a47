import Foundation
import Logging
import Telemetry

extension SpanExporter {
    /// Nil if nothing is traced.
    ///
    /// - Throws: ``SettingsError`` for an invalid endpoint.
    convenience init?(_ settings: Settings) throws {
        if settings.given(Settings.traceEndpoint) == nil { return nil }
        self.init(
            endpoint: try settings.url(Settings.traceEndpoint, like: "http://127.0.0.1:4318/v1/traces"),
            resource: Resource(
                name: settings[Settings.traceServiceName], version: Version.current,
                instance: "\(ProcessInfo.processInfo.hostName):\(ProcessInfo.processInfo.processIdentifier)"),
            logger: Logger(label: "menagerie.traces"))
    }
}
