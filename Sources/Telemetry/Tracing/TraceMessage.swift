import Base

/// `ExportTraceServiceRequest` of OTLP in Protobuf's wire format.
///
/// Source: opentelemetry/proto/trace/v1/trace.proto, which defines the field numbers used here.
struct TraceMessage {
    let resource: SpanExporter.Resource
    let spans: [FinishedSpan]

    var bytes: [UInt8] {
        var message = ProtocolBufferWriter()
        message.message(1) { resourceSpans in
            resourceSpans.message(1) { message in
                message.attribute(1, "service.name", .text(resource.name))
                message.attribute(1, "service.version", .text(resource.version))
                message.attribute(1, "service.instance.id", .text(resource.instance))
                message.attribute(1, "telemetry.sdk.language", .text("swift"))
            }
            resourceSpans.message(2) { scopeSpans in
                scopeSpans.message(1) { $0.string("menagerie", 1) }
                for span in spans { scopeSpans.message(2) { span.write(to: &$0) } }
            }
        }
        return message.bytes
    }
}

extension FinishedSpan {
    fileprivate func write(to message: inout ProtocolBufferWriter) {
        message.data(Hexadecimal.bytes(place.traceID) ?? [], 1)
        message.data(Hexadecimal.bytes(place.spanID) ?? [], 2)
        if let parent { message.data(Hexadecimal.bytes(parent.spanID) ?? [], 4) }
        message.string(name, 5)
        // SPAN_KIND_INTERNAL and SPAN_KIND_SERVER.
        message.integer(kind == .internal ? 1 : 2, 6)
        message.fixed64(start, 7)
        message.fixed64(end, 8)
        for (name, value) in attributes { message.attribute(9, name, value) }
        // STATUS_CODE_ERROR.
        if isFailure { message.message(15) { $0.integer(2, 3) } }
    }
}

extension ProtocolBufferWriter {
    /// Appends a `KeyValue`.
    fileprivate mutating func attribute(_ field: Int, _ name: String, _ value: SpanValue) {
        message(field) { pair in
            pair.string(name, 1)
            pair.message(2) { any in
                switch value {
                case .text(let text): any.string(text, 1)
                case .number(let number): any.integer(number, 3)
                }
            }
        }
    }
}
