package import Telemetry

extension CameraService {
    nonisolated package func register(in registry: MetricRegistry) {
        registry.computed(
            .gauge, "menagerie_camera_watched", help: "Whether a camera that the service watches can be seen.",
            labels: ["camera"]
        ) { [self] in statuses.map { ([$0.key], $0.value.state == .watching ? 1 : 0) } }
        let counters: [(name: String, help: String, value: @Sendable (CameraStatus.Counts) -> Int)] = [
            (
                "menagerie_camera_pictures_total", "Pictures taken of a watched camera; few while it is still.",
                { $0.pictures }
            ),
            ("menagerie_camera_looks_total", "Pictures of a watched camera that the models looked at.", { $0.looks }),
            ("menagerie_camera_missed_total", "Pictures of a watched camera that nobody had time for.", { $0.missed }),
            ("menagerie_camera_sightings_total", "Animals that came before a watched camera.", { $0.sightings }),
            (
                "menagerie_camera_failures_total", "Times that a watched camera was lost or not reached.",
                { $0.failures }
            ),
        ]
        for counter in counters {
            registry.computed(.counter, counter.name, help: counter.help, labels: ["camera"]) { [self] in
                statuses.map { ([$0.key], Double(counter.value($0.value.counts))) }
            }
        }
    }
}
