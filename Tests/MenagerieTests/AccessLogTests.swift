import Foundation
import HTTP
import Telemetry
import Testing

@testable import Menagerie

@Suite struct AccessLogTests {
    private struct Silent: ServerObserver {}

    private static let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    /// The line of a request in the log, without its time.
    private func line(
        _ format: LogFormat = .text, target: String = "/livez?a=b", headers: HeaderFields = [:],
        logsTraces: Bool = true
    ) throws -> String {
        let pipe = Pipe()
        let writer = LogWriter(descriptor: pipe.fileHandleForWriting.fileDescriptor, format: format)
        let log = AccessLog(writer: writer, next: Silent(), logsTraces: logsTraces).observer(ofLoop: 0)
        let request = Request(
            method: .get, target: target, headers: headers, id: "one", remoteAddress: "192.0.2.7")
        log.requestCompleted(
            RequestRecord(request, status: .ok, duration: .microseconds(1500), bytesIn: 1, bytesOut: 2))
        writer.flush()
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: try #require(try pipe.fileHandleForReading.readToEnd()), as: UTF8.self)
        #expect(text.hasSuffix("\n") && text.filter(\.isNewline).count == 1)
        return String(text.dropLast())
    }

    @Test func aLineSaysWhoAskedWhatAndHowLongItTook() throws {
        #expect(
            try line().dropFirst(24)
                == #" info menagerie.access: Request bytes_in=1 bytes_out=2 client=192.0.2.7 id=one method=GET ms=1.5"#
                + #" status=200 target="/livez?a=b""#)
    }

    @Test func aLineIsAnObjectInJSON() throws {
        let data = Data(try line(.json, headers: ["traceparent": Self.trace]).utf8)
        var object = try #require(JSONSerialization.jsonObject(with: data) as? [String: String])
        object["time"] = nil
        #expect(
            object == [
                "level": "info", "logger": "menagerie.access", "message": "Request", "method": "GET",
                "target": "/livez?a=b", "status": "200", "ms": "1.5", "bytes_in": "1", "bytes_out": "2", "id": "one",
                "client": "192.0.2.7", "trace_id": "0af7651916cd43dd8448eb211c80319c", "parent_id": "b7ad6b7169203331",
            ])
    }

    @Test func theTraceOfTheCallerIsLogged() throws {
        let line = try line(headers: ["traceparent": Self.trace])
        #expect(line.contains(" ms=1.5 parent_id=b7ad6b7169203331 status=200 "))
        #expect(line.hasSuffix(" trace_id=0af7651916cd43dd8448eb211c80319c"))
    }

    @Test func aTraceIsLeftOutWhenItIsInvalidOrNotWanted() throws {
        #expect(try !line(headers: ["traceparent": "00-0-0-01"]).contains("trace_id"))
        #expect(try !line(headers: ["traceparent": Self.trace], logsTraces: false).contains("trace_id"))
    }

    @Test func aKeyInATargetIsNotLogged() throws {
        let secret = String(repeating: "aB3_-x7", count: 6) + "Z"
        let line = try line(target: "/models/menagerie_boxes?key=menagerie_\(secret)&a=menagerie_\(secret)")
        #expect(line.hasSuffix(#" target="/models/menagerie_boxes?key=menagerie_…&a=menagerie_…""#))
        let cut = try self.line(target: "/" + String(repeating: "y", count: 149) + "menagerie_" + secret)
        #expect(cut.hasSuffix("ymenagerie_…"))
    }

    @Test func aLongTargetIsCutAndCannotForgeAField() throws {
        let line = try line(target: "/x status=500 " + String(repeating: "y", count: 300))
        #expect(line.hasSuffix(#" status=200 target="/x status=500 "# + String(repeating: "y", count: 186) + "\""))
    }
}
