import Metrics
import Testing

@testable import Telemetry

/// What libraries that speak swift-metrics find in the registry, and what is shown of them.
@Suite struct LibraryMetricsTests {
    /// Stands for a library: it knows of swift-metrics only, and asks for whatever the process counts on.
    private struct Pool {
        let queries = Counter(label: "db.queries", dimensions: [("result", "ok"), ("db-name", "scans")])
        let bytes = FloatingPointCounter(label: "db.bytes")
        let waiting = Meter(label: "db.waiting")
        let size = Gauge(label: "db.size")
        let query = Timer(label: "db.query")
        let rows = Recorder(label: "db.rows")

        func work() {
            queries.increment(by: 3)
            bytes.increment(by: 1.75)
            bytes.increment(by: 1.75)
            waiting.increment(by: 4)
            waiting.decrement()
            size.record(10)
            size.record(7)
            query.recordMilliseconds(5)
            rows.record(20)
        }
    }

    @Test func everyKindIsShownWithNameHelpAndType() {
        let registry = MetricRegistry()
        _ = registry.counter("own_total", help: "Our own.")
        withMetricsFactory(registry) { Pool().work() }
        let text = registry.render()
        for lines in [
            """
            # HELP own_total Our own.
            # TYPE own_total counter
            own_total 0
            """,
            """
            # HELP db_queries_total Of a library, which calls it "db.queries".
            # TYPE db_queries_total counter
            db_queries_total{db_name="scans",result="ok"} 3
            """,
            """
            # TYPE db_bytes_total counter
            db_bytes_total 3
            """,
            """
            # TYPE db_waiting gauge
            db_waiting 3
            """,
            """
            # TYPE db_size gauge
            db_size 7
            """,
            """
            # HELP db_query_seconds Of a library, which calls it "db.query".
            # TYPE db_query_seconds histogram
            db_query_seconds_bucket{le="0.0005"} 0
            """,
            """
            db_query_seconds_sum 0.005
            db_query_seconds_count 1
            """,
            """
            db_rows_bucket{le="10.0"} 0
            db_rows_bucket{le="100.0"} 1
            """,
        ] {
            #expect("\n\(text)".contains("\n\(lines)\n"), "\(lines)")
        }
    }

    @Test func whoAsksForANameOfOursCountsOnOurs() {
        let registry = MetricRegistry()
        let ours = registry.counters("photos_total", help: "Photos.", labels: ["a", "b"])
        ours.with("1", "2").increment()
        // Whatever the order of the labels.
        let theirs = Counter(label: "photos", dimensions: [("b", "2"), ("a", "1")], factory: registry)
        theirs.increment()
        // It is not theirs to take away.
        theirs.destroy()
        #expect(
            registry.render() == """
                # HELP photos_total Photos.
                # TYPE photos_total counter
                photos_total{a="1",b="2"} 2

                """)
    }

    @Test func aNameHasOneType() {
        let registry = MetricRegistry()
        registry.addProcessMetrics()
        registry.computed(.gauge, "queue", help: "Queue.") { [([], 1)] }
        Meter(label: "process_threads", factory: registry).set(-5)
        Recorder(label: "queue", factory: registry).record(1)
        Gauge(label: "pool", factory: registry).record(1)
        Recorder(label: "pool", factory: registry).record(1)
        let types = registry.render().split(separator: "\n").filter { $0.hasPrefix("# TYPE") }
        #expect(types.count == Set(types).count)
        #expect(types.suffix(2) == ["# TYPE queue gauge", "# TYPE pool gauge"])
        #expect(!registry.render().contains("process_threads -5"))
    }

    @Test func whatALibraryGivesBackIsGone() {
        let registry = MetricRegistry()
        let counters = ["a", "b"].map { Counter(label: "jobs", dimensions: [("kind", $0)], factory: registry) }
        for counter in counters { counter.increment() }
        counters[0].destroy()
        #expect(registry.render().hasSuffix("counter\njobs_total{kind=\"b\"} 1\n"))
        // Made again it starts anew.
        Counter(label: "jobs", dimensions: [("kind", "a")], factory: registry).increment(by: 5)
        #expect(registry.render().contains("\njobs_total{kind=\"a\"} 5\n"))
        counters[1].reset()
        #expect(registry.render().contains("\njobs_total{kind=\"b\"} 0\n"))
    }

    @Test(arguments: [
        ("7 of 9\n# TYPE x", "_7_of_9___TYPE_x", #""7 of 9\n# TYPE x""#), ("", "_", #""""#),
        ("größe", "gr__e", #""größe""#),
        ("a:b", "a:b", #""a:b""#),
    ])
    func noLabelForgesALine(label: String, name: String, written: String) {
        let registry = MetricRegistry()
        let labels = [("0 le", "\n"), ("le", "1"), ("same", "old"), ("same", "new")]
        Recorder(label: label, dimensions: labels, aggregate: false, factory: registry).record(2)
        #expect(
            registry.render() == """
                # HELP \(name) Of a library, which calls it \(written).
                # TYPE \(name) gauge
                \(name){_0_le="\\n",le_="1",same="new"} 2

                """)
    }
}
