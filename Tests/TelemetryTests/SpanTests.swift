import Foundation
import Testing

@testable import Base
@testable import Telemetry

@Suite struct SpanTests {
    private final class Finished: Sendable {
        let spans = Locked<[FinishedSpan]>([])

        func begin(below parent: TraceContext?) -> ActiveSpan {
            ActiveSpan(below: parent) { span in self.spans.withLock { $0.append(span) } }
        }
    }

    @Test func aStageIsASpanBelowItsRequest() throws {
        let finished = Finished()
        let caller = TraceContext(isSampled: true)
        let request = finished.begin(below: caller)
        ActiveSpan.$current.withValue(request) {
            ActiveSpan.recordStage("decode", from: .now - .seconds(3), seconds: 2, ["answer": .number(42)])
        }
        request.end("GET /", [:], isFailure: true)
        let spans = finished.spans.withLock { $0 }
        try #require(spans.map(\.name) == ["decode", "GET /"])
        #expect(spans[1].place == request.place && spans[1].parent == caller)
        #expect(spans[1].kind == .server && spans[1].isFailure)
        #expect(spans[0].parent == request.place && spans[0].place.spanID != request.place.spanID)
        #expect(spans.allSatisfy { $0.place.traceID == caller.traceID })
        #expect(spans[0].attributes == ["answer": .number(42)] && spans[0].kind == .internal && !spans[0].isFailure)
        #expect(spans[0].end - spans[0].start == 2_000_000_000)
        let age = Double(spans[1].end - spans[0].start) / 1e9
        #expect(age >= 3 && age < 30)
    }

    @Test func aRequestWithoutACallerBeginsATrace() {
        let finished = Finished()
        let span = finished.begin(below: nil)
        #expect(span.place.isSampled)
        span.end("GET /", [:], isFailure: false)
        #expect(finished.spans.withLock { $0.map(\.parent) } == [nil])
    }

    @Test func workOutsideASpanIsNotRecorded() {
        let finished = Finished()
        _ = finished.begin(below: nil)
        ActiveSpan.recordStage("decode", from: .now, seconds: 1)
        #expect(finished.spans.withLock { $0.isEmpty })
    }

    /// The fields are those of opentelemetry/proto/trace/v1/trace.proto.
    @Test func aSpanIsWrittenAsItsSchemaSays() throws {
        let place = try #require(TraceContext(parsing: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"))
        let span = FinishedSpan(
            name: "decode", place: place, parent: place, kind: .server, start: 1, end: 2,
            attributes: ["a": .number(7)], isFailure: true)
        let identifier: [UInt8] = [0xB7, 0xAD, 0x6B, 0x71, 0x69, 0x20, 0x33, 0x31]
        let trace: [UInt8] = [
            0x0A, 0xF7, 0x65, 0x19, 0x16, 0xCD, 0x43, 0xDD, 0x84, 0x48, 0xEB, 0x21, 0x1C, 0x80, 0x31, 0x9C,
        ]
        var expected: [UInt8] = [0x0A, 16] + trace + [0x12, 8] + identifier + [0x22, 8] + identifier
        expected += [0x2A, 6] + Array("decode".utf8) + [0x30, 2]
        expected += [0x39, 1, 0, 0, 0, 0, 0, 0, 0] + [0x41, 2, 0, 0, 0, 0, 0, 0, 0]
        expected += [0x4A, 7, 0x0A, 1, 0x61, 0x12, 2, 0x18, 7] + [0x7A, 2, 0x18, 2]
        let message = TraceMessage(resource: .init(name: "", version: "", instance: ""), spans: [span])
        #expect(Array(message.bytes.suffix(expected.count)) == expected)
    }

    /// The expected bytes were computed by hand from https://protobuf.dev/programming-guides/encoding/.
    @Test func protobufIsWrittenAsItsGuideSays() {
        var message = ProtocolBufferWriter()
        message.integer(150, 1)
        message.string("testing", 2)
        message.message(3) { $0.integer(-1, 1) }
        message.fixed64(1, 4)
        #expect(
            message.bytes == [0x08, 0x96, 0x01, 0x12, 0x07] + Array("testing".utf8)
                + [0x1A, 0x0B, 0x08] + [UInt8](repeating: 0xFF, count: 9) + [0x01]
                + [0x21, 1, 0, 0, 0, 0, 0, 0, 0])
    }
}
