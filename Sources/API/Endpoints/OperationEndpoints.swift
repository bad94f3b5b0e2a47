import HTTP
import Recognition
import Telemetry

/// Health, metrics and the description of the interface. They are answered on the connection's loop, except the
/// metrics, which are long and read the process's files.
struct OperationEndpoints: Sendable {
    let metrics: MetricRegistry
    let readiness: Readiness
    let recogniser: Recogniser
    let openAPI: Representation

    func register(in router: inout Router) {
        let alive = Response.bytes(Array(#"{"status":"ok"}"#.utf8), type: .json, cacheControl: "no-store")
        router.get("/livez", .inlineWithoutQuery { _ in alive })
        router.get(
            "/readyz",
            .inlineWithoutQuery { _ in
                if let reason = readiness.reason { throw ProblemDetails.notReady(reason) }
                // The answer has the current load, for balancers that weigh by it.
                let (inFlight, capacity) = (recogniser.inFlight, recogniser.capacity)
                let text = "{\"photos_in_flight\":\(inFlight),\"photo_capacity\":\(capacity),\"status\":\"ready\"}"
                return .bytes(Array(text.utf8), type: .json, cacheControl: "no-store")
            })
        router.get(
            "/metrics",
            .withoutQuery { _ in
                Response(
                    headers: ["Content-Type": MetricRegistry.contentType, "Cache-Control": "no-store"],
                    body: .bytes(Array(metrics.render().utf8)))
            })
        router.get("/openapi.json", .inlineWithoutQuery { openAPI.response(to: $0) })
    }
}
