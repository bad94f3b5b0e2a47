import Telemetry

extension MetricRegistry {
    /// Adds metrics for the version, the configured numbers, and the log.
    func show(_ settings: Settings, _ log: LogWriter) {
        computed(
            .gauge, "menagerie_build_info", help: "The build, always 1.",
            labels: ["version", "swift", "processor"]
        ) { [([Version.current, Version.compiler, Version.processor], 1)] }
        let numbers = Settings.all.compactMap { setting in
            setting.number(in: settings).map { (labels: [setting.name], value: $0) }
        }
        computed(
            .gauge, "menagerie_setting", help: "Numbers of the configuration in use, in the unit that the name says.",
            labels: ["name"]
        ) { numbers }
        computed(
            .counter, "menagerie_log_lines_dropped_total",
            help: "Log lines lost because standard error was too slow or could not be written to."
        ) { [([], Double(log.droppedLines))] }
    }
}
