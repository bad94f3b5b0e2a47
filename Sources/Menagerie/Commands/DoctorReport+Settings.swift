import API
import HTTP
import Security
import Storage
import Telemetry

extension DoctorReport {
    /// Reports the faults for which the service would not start. Nothing is opened.
    mutating func examine(settings: Settings) async {
        let checks: [(Settings) async throws -> Void] = [
            { try await AccessControl.Options.check($0) },
            { _ = try AllowedHosts($0) },
            { _ = try CORSMiddleware.Origins($0) },
            { _ = try MenagerieAPI.Options($0) },
            { _ = try HistoryConfiguration.backend($0) },
            { _ = try SpanExporter($0) },
            { _ = try Connected.address($0) },
            { _ = try Connected.mqttOptions($0) },
            { _ = try Connected.hooks($0) },
            { _ = try Connected.frigateOptions($0) },
        ]
        var isWell = true
        for check in checks {
            do {
                try await check(settings)
            } catch {
                isWell = false
                wrong("settings", "\(error)")
            }
        }
        if isWell { ok("settings", "read without fault") }
    }
}
