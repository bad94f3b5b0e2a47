import Foundation

/// Metrics of the process, from its kernel, under the names that Prometheus' client libraries share.
///
/// Source: https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics
struct ProcessMetrics: WritableFamily {
    func write(to text: inout String) {
        addStatistics(to: &text)
        if let folder = opendir("/proc/self/fd") {
            defer { closedir(folder) }
            var count = 0
            while readdir(folder) != nil { count += 1 }
            // Two entries are links to folders, and one descriptor belongs to this reading.
            add("process_open_fds", "Open file descriptors.", .gauge, Double(count - 3), to: &text)
        }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            add("process_max_fds", "File descriptors that may be open.", .gauge, Double(limit.rlim_cur), to: &text)
        }
    }

    /// Adds the values of /proc for this process (proc(5)). Adds nothing on a system without /proc.
    private func addStatistics(to text: inout String) {
        guard let line = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
            // The second field, the program's name in parentheses, may hold anything.
            let end = line.lastIndex(of: ")"),
            let system = try? String(contentsOfFile: "/proc/stat", encoding: .utf8),
            let boot = system.split(separator: "\n").first(where: { $0.hasPrefix("btime ") })?.dropFirst(6),
            let bootTime = Double(boot)
        else { return }
        // proc(5) counts fields from 1, and the first one here is the third.
        let fields = line[line.index(after: end)...].split(separator: " ").map { Double($0) ?? 0 }
        guard fields.count > 21 else { return }
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        let residentBytes = fields[21] * Double(sysconf(Int32(_SC_PAGESIZE)))
        let startTime = bootTime + fields[19] / ticks
        let seconds = (fields[11] + fields[12]) / ticks
        add("process_cpu_seconds_total", "User and system time spent.", .counter, seconds, to: &text)
        add("process_resident_memory_bytes", "Physical memory held.", .gauge, residentBytes, to: &text)
        add("process_virtual_memory_bytes", "Virtual memory held.", .gauge, fields[20], to: &text)
        add("process_start_time_seconds", "Start of the process since 1970.", .gauge, startTime, to: &text)
        add("process_threads", "Threads of the process.", .gauge, fields[17], to: &text)
    }

    private func add(_ name: String, _ help: String, _ kind: ComputedKind, _ value: Double, to text: inout String) {
        text.appendHeader(name, help: help, kind: kind.rawValue)
        text.appendSample(name, [], value.sampleText)
    }
}
