import Base

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
                message.attribute(1, "service.name", .text(resource.name))
                message.attribute(1, "service.version", .text(resource.version))
                message.attribute(1, "service.instance.id", .text(resource.instance))
                message.attribute(1, "telemetry.sdk.language", .text("swift"))
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
        if let parent { message.bytes(4, Hexadecimal.bytes(parent.spanID) ?? []) }
        message.string(5, name)
        // SPAN_KIND_INTERNAL and SPAN_KIND_SERVER.
        message.integer(6, kind == .internal ? 1 : 2)
        message.fixed64(7, start)
        message.fixed64(8, end)
        for (name, value) in attributes { message.attribute(9, name, value) }
        // STATUS_CODE_ERROR.
        if isFailure { message.message(15) { $0.integer(3, 2) } }
    }
}

extension ProtobufMessage {
    /// Appends a `KeyValue`.
    fileprivate mutating func attribute(_ field: Int, _ name: String, _ value: SpanValue) {
        message(field) { pair in
            pair.string(1, name)
            pair.message(2) { any in
                switch value {
                case .text(let text): any.string(1, text)
                case .number(let number): any.integer(3, number)
                }
            }
        }
    }
}
