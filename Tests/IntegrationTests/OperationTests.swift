import Foundation
import TestSupport
import Testing

@Suite struct OperationTests {
    @Test func healthAndMetricsAnswer() async throws {
        let photo = try #require(ClassifyTests.drawing)
        try await withService { service in
            #expect(try await service.request("GET", "/livez").text == #"{"status":"ok"}"#)
            #expect(try await service.request("GET", "/readyz").text == #"{"status":"ready"}"#)
            #expect(try await service.classify(photo).status == 200)
            let metrics = try await service.request("GET", "/metrics")
            #expect(metrics.headers["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
            for name in [
                #"menagerie_http_requests_total{method="POST",route="/classify",status="200"}"#,
                "menagerie_http_request_duration_seconds_bucket", #"menagerie_queue_depth{model="menagerie"}"#,
                #"menagerie_batch_size_count{model="menagerie"}"#,
                "menagerie_decode_seconds_sum", "menagerie_decode_queue_seconds_sum", "menagerie_queue_seconds_sum",
                "menagerie_engine_seconds_sum", "menagerie_batch_size_sum",
                "menagerie_inference_seconds_sum",
                "menagerie_http_received_bytes_total", "menagerie_http_connections ",
            ] {
                #expect(metrics.text.contains(name), "\(name)")
            }
        }
    }

    @Test func thePageIsServedUnderItsPolicy() async throws {
        try await withService { service in
            let page = try await service.request("GET", "/")
            #expect(page.status == 200 && page.headers["content-type"]?.hasPrefix("text/html") == true)
            #expect(page.headers["content-security-policy"]?.contains("default-src 'self'") == true)
            #expect(try await service.request("GET", "/app.js").headers["content-type"]?.contains("javascript") == true)
            #expect(try await service.request("GET", "/livez").headers["content-security-policy"] == nil)
            // What browsers ask for unbidden.
            let icon = try await service.request("GET", "/favicon.ico")
            #expect(icon.status == 200 && icon.headers["content-type"] == "image/x-icon")
            #expect(icon.body.starts(with: [0, 0, 1, 0]))
        }
    }

    @Test func everyAnswerIsLabelled() async throws {
        try await withService { service in
            for target in ["/", "/livez", "/breeds/siamese", "/unicorn", "/history?x=1"] {
                let response = try await service.request("GET", target, headers: [("X-Request-Id", "my-id-1")])
                #expect(response.headers["x-request-id"] == "my-id-1", "\(target)")
                #expect(response.headers["x-content-type-options"] == "nosniff", "\(target)")
                #expect(response.headers["date"] != nil, "\(target)")
            }
            let fresh = try await service.request("GET", "/livez", headers: [("X-Request-Id", "bad id\u{e4}")])
            #expect(fresh.headers["x-request-id"]?.contains(" ") == false)
        }
    }
}
