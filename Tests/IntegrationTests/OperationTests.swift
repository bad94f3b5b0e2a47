import Base
import Foundation
import Storage
import Testing
import TestSupport
@testable import HTTP

@Suite struct OperationTests {
    @Test func healthAndMetricsAnswer() async throws {
        let photo = try #require(ClassifyTests.drawing)
        try await withService { service in
            #expect(try await service.request("GET", "/livez").text == #"{"status":"ok"}"#)
            #expect(
                try await service.request("GET", "/readyz").text
                    == #"{"photos_in_flight":0,"photo_capacity":64,"status":"ready"}"#)
            #expect(try await service.classify(photo).status == 200)
            let metrics = try await service.request("GET", "/metrics")
            #expect(metrics.headers["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
            for name in [
                #"menagerie_http_requests_total{method="POST",route="/classify",status="200"}"#,
                "menagerie_http_request_duration_seconds_bucket", #"menagerie_queue_depth{model="menagerie"}"#,
                "menagerie_decode_seconds_sum", "menagerie_decode_queue_seconds_sum", "menagerie_queue_seconds_sum",
                "menagerie_engine_seconds_sum", "menagerie_inference_seconds_sum",
                "menagerie_http_received_bytes_total", "menagerie_http_connections ",
                #"menagerie_model_memory_bytes{model="menagerie",version=""#, "process_resident_memory_bytes ",
                "process_cpu_seconds_total ", "process_open_fds ", "process_start_time_seconds ",
                "# TYPE menagerie_keys gauge",
            ] {
                #expect(metrics.text.contains(name), "\(name)")
            }
        }
    }

    @Test(.timeLimit(.minutes(2))) func theSizeOfTheHistoryIsMeasured() async throws {
        let photo = try #require(ClassifyTests.drawing)
        try await withOwnService(backend: .sqlite) { service in
            for _ in 0..<2 { #expect(try await service.classify(photo, query: "save=true").status == 200) }
            func value(_ name: String) async throws -> Double? {
                try await service.request("GET", "/metrics").text.split(separator: "\n")
                    .first { $0.hasPrefix(name + " ") }.flatMap { Double($0.dropFirst(name.count + 1)) }
            }
            // The metric is updated some seconds after the last update.
            try await eventually { try await value("menagerie_history_scans") == 2 }
            #expect(try await value("menagerie_history_photo_bytes") ?? 0 > 100)
            #expect(try await value("menagerie_history_database_bytes") ?? 0 >= 4096)
        }
    }

    @Test(
        "What takes long is kept off the loop, which answers all else itself",
        arguments: [
            ("/breeds", true), ("/metrics", true), ("/breeds/siamese", false), ("/livez", false),
        ])
    func longAnswersAreMadeOffTheLoop(path: String, isOffTheLoop: Bool) async throws {
        try await withService { service in
            guard case .found(let route, _) = service.router.match(.get, path) else {
                Issue.record("\(path) has no route")
                return
            }
            #expect(route.handler.isAsynchronous == isOffTheLoop)
        }
    }

    @Test func thePageIsServedUnderItsPolicy() async throws {
        try await withService { service in
            let page = try await service.request("GET", "/")
            #expect(page.status == 200 && page.headers["content-type"]?.hasPrefix("text/html") == true)
            #expect(page.headers["content-security-policy"]?.contains("default-src 'self'") == true)
            #expect(try await service.request("GET", "/app.js").headers["content-type"]?.contains("javascript") == true)
            #expect(try await service.request("GET", "/livez").headers["content-security-policy"] == nil)
            // Browsers request this icon automatically.
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
