import Base
import Foundation
import Logging
import Testing
import Tracing

@testable import Telemetry

@Suite struct SpanTests {
    private final class Finished: Sendable {
        let spans = Locked<[FinishedSpan]>([])
    }

    private func span(_ name: String, in context: ServiceContext, _ finished: Finished) -> RecordedSpan {
        RecordedSpan(name, in: context, kind: .internal, start: 1000) { span in
            finished.spans.withLock { $0.append(span) }
        }
    }

    @Test func aSpanBelowAnotherIsOfItsTrace() throws {
        let finished = Finished()
        let root = span("root", in: .topLevel, finished)
        let child = span("child", in: root.context, finished)
        child.attributes["answer"] = 42
        child.end(at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: 3000))
        child.end()
        root.end()
        let spans = finished.spans.withLock { $0 }
        #expect(spans.map(\.name) == ["child", "root"])
        #expect(spans[0].place.traceID == spans[1].place.traceID)
        #expect(spans[0].parentID == spans[1].place.spanID)
        #expect(spans[1].parentID == nil)
        #expect(spans[0].place.spanID != spans[1].place.spanID)
        #expect((spans[0].start, spans[0].end) == (1000, 3000))
        #expect(spans[0].attributes.get("answer") == .int64(42))
    }

    @Test func aSpanThatNobodyEndsEndsAsAbandoned() {
        let finished = Finished()
        var forgotten: RecordedSpan? = span("forgotten", in: .topLevel, finished)
        #expect(forgotten?.isRecording == true)
        forgotten = nil
        #expect(finished.spans.withLock { $0.map(\.status?.message) } == ["abandoned"])
    }

    @Test func errorsAreEventsOfBoundedNumber() throws {
        let finished = Finished()
        let failing = span("failing", in: .topLevel, finished)
        for _ in 0..<100 { failing.recordError(CancellationError()) }
        failing.end()
        let events = try #require(finished.spans.withLock { $0.first }).events
        #expect(events.count == 32)
        #expect(events[0].name == "exception")
        #expect(events[0].attributes.get("exception.type") == .string("CancellationError"))
    }

    @Test func theContextTravelsAsTraceparent() {
        struct Field: Extractor, Injector {
            func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
            func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
                carrier[key] = value
            }
        }
        let exporter = SpanExporter(
            endpoint: URL(filePath: "/"), resource: .init(name: "", version: "", instance: ""), logger: .init(label: "")
        )
        let recorder = SpanRecorder(exporter: exporter)
        let text = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        var context = ServiceContext.topLevel
        recorder.extract(["traceparent": text], into: &context, using: Field())
        var fields: [String: String] = [:]
        recorder.inject(context, into: &fields, using: Field())
        #expect(fields == ["traceparent": text])
        recorder.extract(["traceparent": "nonsense"], into: &context, using: Field())
        #expect(context.trace?.description == text)
    }

    /// The expected bytes were computed by hand from https://protobuf.dev/programming-guides/encoding/.
    @Test func protobufIsWrittenAsItsGuideSays() {
        var message = ProtobufMessage()
        message.integer(1, 150)
        message.string(2, "testing")
        message.message(3) { $0.integer(1, -1) }
        message.fixed64(4, 1)
        #expect(
            message.bytes == [0x08, 0x96, 0x01, 0x12, 0x07] + Array("testing".utf8)
                + [0x1A, 0x0B, 0x08] + [UInt8](repeating: 0xFF, count: 9) + [0x01]
                + [0x21, 1, 0, 0, 0, 0, 0, 0, 0])
    }
}
