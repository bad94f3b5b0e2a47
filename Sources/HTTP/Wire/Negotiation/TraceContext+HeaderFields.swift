package import Base

extension TraceContext {
    /// What the caller says in `traceparent`: nil when the field is absent, repeated or invalid, for then a trace begins
    /// here (W3C Trace Context §4.2).
    package init?(_ headers: HeaderFields) {
        let values = headers.values(for: "traceparent")
        guard values.count == 1 else { return nil }
        self.init(parsing: values[0])
    }
}
