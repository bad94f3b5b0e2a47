import Base
import HTTP
import Logging
import Testing

@testable import API

/// What a request's line in the log says.
@Suite struct AccessLogTests {
    /// Keeps the metadata of each line.
    private final class Lines: Sendable {
        let all = Locked<[Logger.Metadata]>([])
    }

    private struct Recorder: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.all.withLock { $0.append(event.metadata ?? [:]) }
        }
    }

    private struct Silent: ServerObserver {}

    private static let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    /// The metadata of one request's line, as texts.
    private func line(_ headers: HeaderFields, logsTraces: Bool = true) throws -> [String: String] {
        let lines = Lines()
        let log = AccessLog(
            logger: Logger(label: "test") { _ in Recorder(lines: lines) }, next: Silent(), logsTraces: logsTraces)
        let request = Request(
            method: .get, target: "/livez?a=b", headers: headers, id: "one", remoteAddress: "192.0.2.7")
        log.requestCompleted(
            RequestRecord(request, status: .ok, duration: .microseconds(1500), bytesIn: 1, bytesOut: 2))
        let all = lines.all.withLock { $0 }
        try #require(all.count == 1)
        return all[0].mapValues { "\($0)" }
    }

    @Test func aLineSaysWhoAskedWhatAndHowLongItTook() throws {
        #expect(
            try line([:]) == [
                "method": "GET", "target": "/livez?a=b", "status": "200", "ms": "1.5", "bytes_in": "1",
                "bytes_out": "2",
                "id": "one", "client": "192.0.2.7",
            ])
    }

    @Test func theTraceOfTheCallerIsLogged() throws {
        let line = try line(["traceparent": Self.trace])
        #expect(line["trace_id"] == "0af7651916cd43dd8448eb211c80319c")
        #expect(line["parent_id"] == "b7ad6b7169203331")
    }

    @Test func aTraceIsLeftOutWhenItIsInvalidOrNotWanted() throws {
        #expect(try line(["traceparent": "00-0-0-01"])["trace_id"] == nil)
        #expect(try line(["traceparent": Self.trace], logsTraces: false)["trace_id"] == nil)
    }
}
