import Foundation
import Metrics
import Synchronization
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
        let latency = registry.timers("latency_seconds", help: "Latency.", bounds: [0.1, 1]).with()
        for seconds in [0.05, 0.1, 0.5, 2] { latency.recordSeconds(seconds) }
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

    @Test func timersCountSeconds() {
        let registry = MetricRegistry()
        let latency = registry.timers("latency_seconds", help: "Latency.", bounds: [0.1, 1]).with()
        latency.record(duration: .milliseconds(100))
        latency.recordSeconds(0.5)
        latency.recordNanoseconds(2_000_000_000)
        let text = registry.render()
        for line in [#"bucket{le="0.1"} 1"#, #"bucket{le="1.0"} 2"#, #"bucket{le="+Inf"} 3"#, "sum 2.6", "count 3"] {
            #expect(text.contains("\nlatency_seconds_\(line)\n"), "\(line)")
        }
    }

    @Test func metersGoBothWays() {
        let registry = MetricRegistry()
        let depth = registry.meter("queue_depth", help: "Photos waiting.")
        depth.set(5)
        depth.decrement(by: 2.5)
        #expect(registry.render().hasSuffix("\nqueue_depth 2.5\n"))
        depth.increment()
        depth.set(0)
        #expect(registry.render().hasSuffix("\nqueue_depth 0\n"))
    }

    @Test func whatThreadsCountForThemselvesIsWrittenAsItsSum() {
        let registry = MetricRegistry()
        let total = registry.counters("events_total", help: "Events.", labels: ["kind"])
        let seconds = registry.timers("wait_seconds", help: "Waits.", bounds: [1])
        let open = registry.meters("connections", help: "Open.")
        for _ in 0..<2 {
            total.own("a").increment(by: 2)
            let own = seconds.own()
            own.recordSeconds(0.5)
            own.recordSeconds(2)
            open.own().increment()
        }
        total.with("a").increment()
        #expect(
            registry.render() == """
                # HELP events_total Events.
                # TYPE events_total counter
                events_total{kind="a"} 5
                # HELP wait_seconds Waits.
                # TYPE wait_seconds histogram
                wait_seconds_bucket{le="1.0"} 2
                wait_seconds_bucket{le="+Inf"} 4
                wait_seconds_sum 5.0
                wait_seconds_count 4
                # HELP connections Open.
                # TYPE connections gauge
                connections 2

                """)
    }

    @Test func computedSamplesAreMadeWhenTheyAreAskedFor() {
        let registry = MetricRegistry()
        let value = Atomic<Int>(1)
        registry.computed(.gauge, "limit", help: "Bounds.", labels: ["name"]) {
            [(["a"], Double(value.load(ordering: .relaxed))), (["b"], 0.5)]
        }
        value.store(2, ordering: .relaxed)
        #expect(
            registry.render() == """
                # HELP limit Bounds.
                # TYPE limit gauge
                limit{name="a"} 2
                limit{name="b"} 0.5

                """)
    }

    @Test func theProcessIsMeasured() throws {
        let registry = MetricRegistry()
        registry.addProcessMetrics()
        let held = try (0..<10).map { _ in try #require(FileHandle(forReadingAtPath: "/dev/null")) }
        let samples = registry.render().split(separator: "\n").filter { !$0.hasPrefix("#") }.reduce(
            into: [String: Double]()
        ) { samples, line in
            let words = line.split(separator: " ")
            samples[String(words[0])] = Double(words[1])
        }
        let resident = try #require(samples["process_resident_memory_bytes"])
        #expect(resident > 1_000_000 && resident < samples["process_virtual_memory_bytes"] ?? 0)
        #expect(samples["process_cpu_seconds_total"] ?? 0 > 0)
        let age = Date().timeIntervalSince1970 - (samples["process_start_time_seconds"] ?? 0)
        #expect(age > -2 && age < 86_400)
        let descriptors = try #require(samples["process_open_fds"])
        #expect(descriptors >= Double(held.count + 3) && descriptors <= samples["process_max_fds"] ?? 0)
        #expect(samples["process_threads"] ?? 0 >= 1)
    }

    @Test func concurrentIncrementsAreNotLost() async {
        let registry = MetricRegistry()
        let total = registry.counters("events_total", help: "Events.", labels: ["kind"])
        let depth = registry.meter("depth", help: "Depth.")
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for _ in 0..<1000 {
                        total.with(task.isMultiple(of: 2) ? "even" : "odd").increment()
                        depth.increment(by: 2.0)
                        depth.decrement()
                    }
                }
            }
        }
        let text = registry.render()
        #expect(text.contains("\nevents_total{kind=\"even\"} 4000\nevents_total{kind=\"odd\"} 4000\n"))
        #expect(text.hasSuffix("\ndepth 8000\n"))
    }
}
