import Base
import Tracing

/// `ExportTraceServiceRequest` of OTLP in Protobuf's wire format.
///
/// Source: opentelemetry/proto/trace/v1/trace.proto, which defines the field numbers used here.
struct TraceMessage {
    let resource: SpanExporter.Resource
    let spans: [FinishedSpan]

    var bytes: [UInt8] {
        var message = ProtobufMessage()
        message.message(1) { resourceSpans in
            resourceSpans.message(1) { message in
                message.attribute(1, "service.name", .string(resource.name))
                message.attribute(1, "service.version", .string(resource.version))
                message.attribute(1, "service.instance.id", .string(resource.instance))
                message.attribute(1, "telemetry.sdk.language", .string("swift"))
            }
            resourceSpans.message(2) { scopeSpans in
                scopeSpans.message(1) { $0.string(1, "menagerie") }
                for span in spans { scopeSpans.message(2) { span.write(to: &$0) } }
            }
        }
        return message.bytes
    }
}

extension FinishedSpan {
    fileprivate func write(to message: inout ProtobufMessage) {
        message.bytes(1, Hexadecimal.bytes(place.traceID) ?? [])
        message.bytes(2, Hexadecimal.bytes(place.spanID) ?? [])
        if let parentID { message.bytes(4, Hexadecimal.bytes(parentID) ?? []) }
        message.string(5, name)
        message.integer(6, kind.number)
        message.fixed64(7, start)
        message.fixed64(8, end)
        attributes.forEach { message.attribute(9, $0, $1) }
        for event in events {
            message.message(11) { message in
                message.fixed64(1, event.nanosecondsSinceEpoch)
                message.string(2, event.name)
                event.attributes.forEach { message.attribute(3, $0, $1) }
            }
        }
        if let status {
            message.message(15) { message in
                if let text = status.message { message.string(2, text) }
                message.integer(3, status.code == .error ? 2 : 1)
            }
        }
    }
}

extension ProtobufMessage {
    /// Appends a `KeyValue`. Values of unknown types are written as text.
    fileprivate mutating func attribute(_ field: Int, _ name: String, _ value: SpanAttribute) {
        message(field) { pair in
            pair.string(1, name)
            pair.message(2) { any in
                switch value {
                case .string(let text): any.string(1, text)
                case .bool(let flag): any.integer(2, flag ? 1 : 0)
                case .int32(let number): any.integer(3, Int(number))
                case .int64(let number): any.integer(3, Int(number))
                case .double(let number): any.fixed64(4, number.bitPattern)
                case .stringConvertible(let value): any.string(1, "\(value)")
                default: any.string(1, "\(value)")
                }
            }
        }
    }
}

extension SpanKind {
    /// The span kind's number in the OTLP enumeration.
    fileprivate var number: Int {
        switch self {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }
}
