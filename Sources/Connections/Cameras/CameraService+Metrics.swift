package import Telemetry

extension CameraService {
    nonisolated package func register(in registry: MetricRegistry) {
        registry.computed(
            .gauge, "menagerie_camera_watched", help: "Whether a camera that the service watches can be seen.",
            labels: ["camera"]
        ) { [self] in statuses.map { ([$0.key], $0.value.state == .watching ? 1 : 0) } }
        let counters: [(name: String, help: String, value: @Sendable (CameraStatus.Counts) -> Int)] = [
            (
                "menagerie_camera_pictures_total", "Pictures taken from a watched camera. Few while nothing moves.",
                { $0.pictures }
            ),
            ("menagerie_camera_looks_total", "Pictures of a watched camera that the models looked at.", { $0.looks }),
            (
                "menagerie_camera_missed_total", "Pictures of a watched camera that were skipped for lack of time.",
                { $0.missed }
            ),
            ("menagerie_camera_sightings_total", "Sightings of animals by a watched camera.", { $0.sightings }),
            (
                "menagerie_camera_failures_total", "Failed connections to a watched camera.",
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
