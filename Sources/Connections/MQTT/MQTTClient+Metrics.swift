package import Telemetry

extension MQTTClient {
    package func register(in registry: MetricRegistry) {
        registry.computed(.gauge, "menagerie_mqtt_connected", help: "Whether the MQTT broker is connected.") {
            [self] in [([], status == .connected ? 1 : 0)]
        }
        registry.computed(.gauge, "menagerie_mqtt_waiting", help: "Messages that wait for the MQTT broker.") {
            [self] in [([], Double(waiting))]
        }
        let counters: [(name: String, help: String, value: @Sendable (Counts) -> Int)] = [
            ("menagerie_mqtt_connections_total", "Connections that the MQTT broker accepted.", { $0.connections }),
            ("menagerie_mqtt_failures_total", "Tries to reach the MQTT broker that failed.", { $0.failures }),
            ("menagerie_mqtt_sent_total", "Messages sent to the MQTT broker, repeated ones too.", { $0.sent }),
            ("menagerie_mqtt_delivered_total", "Messages of QoS 1 that the MQTT broker has.", { $0.delivered }),
            ("menagerie_mqtt_received_total", "Messages that came from the MQTT broker.", { $0.received }),
            ("menagerie_mqtt_lost_total", "Messages of QoS 0 that the MQTT broker was not there for.", { $0.lost }),
        ]
        for counter in counters {
            registry.computed(.counter, counter.name, help: counter.help) { [self] in
                [([], Double(counter.value(counts)))]
            }
        }
        registry.computed(
            .counter, "menagerie_mqtt_dropped_total",
            help: "Messages that waited for the MQTT broker and made room for newer ones."
        ) { [self] in [([], Double(outbox.dropped))] }
    }
}
