package import Base

extension TraceContext {
    /// Reads the caller's `traceparent`. If it is absent, repeated or invalid, the result is nil, and a trace begins
    /// here (W3C Trace Context §4.2).
    package init?(_ headers: HeaderFields) {
        let values = headers.values(for: "traceparent")
        guard values.count == 1 else { return nil }
        self.init(parsing: values[0])
    }
}
