import Testing

@testable import Telemetry

@Suite struct MetricRegistryTests {
    @Test func rendersCountersWithEscapedLabels() {
        let registry = MetricRegistry()
        let requests = registry.counters("requests_total", help: "Requests.", labels: ["route", "status"])
        requests.with("/breeds/{id}", "200").increment()
        requests.with("/breeds/{id}", "200").increment(by: 2)
        requests.with("a\"b\\c\nd", "404").increment()
        #expect(
            registry.render() == """
                # HELP requests_total Requests.
                # TYPE requests_total counter
                requests_total{route="/breeds/{id}",status="200"} 3
                requests_total{route="a\\"b\\\\c\\nd",status="404"} 1

                """)
    }

    @Test func bucketsAreCumulativeAndBoundsInclusive() {
        let registry = MetricRegistry()
        let seconds = registry.histogram("latency_seconds", help: "Latency.", bounds: [0.1, 1])
        for value in [0.05, 0.1, 0.5, 2] { seconds.observe(value) }
        #expect(
            registry.render() == """
                # HELP latency_seconds Latency.
                # TYPE latency_seconds histogram
                latency_seconds_bucket{le="0.1"} 2
                latency_seconds_bucket{le="1.0"} 3
                latency_seconds_bucket{le="+Inf"} 4
                latency_seconds_sum 2.65
                latency_seconds_count 4

                """)
    }

    @Test func gaugesGoBothWays() {
        let registry = MetricRegistry()
        let depth = registry.gauge("queue_depth", help: "Photos waiting.")
        depth.add(5)
        depth.add(-2)
        #expect(registry.render().hasSuffix("\nqueue_depth 3\n"))
        depth.set(0)
        #expect(depth.current == 0)
    }

    @Test func concurrentIncrementsAreNotLost() async {
        let registry = MetricRegistry()
        let total = registry.counters("events_total", help: "Events.", labels: ["kind"])
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask { for _ in 0..<1000 { total.with(task.isMultiple(of: 2) ? "even" : "odd").increment() } }
            }
        }
        #expect(total.with("even").total == 4000)
        #expect(total.with("odd").total == 4000)
    }
}
