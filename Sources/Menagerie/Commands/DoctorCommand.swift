import API
import ArgumentParser
import Base
import Foundation
import HTTP
import Recognition

/// `menagerie doctor`: reports what this machine and these settings mean for the service.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Checks the machine, the settings and the models. Paste it into a bug report.",
        discussion: """
            Changes nothing. A line begins with "ok", with "note" if something is missing or slow, or with "WRONG" \
            if the service cannot run. Exits with 1 if anything is wrong.
            """)

    @OptionGroup var options: SettingsOptions

    func run() async throws {
        var report = DoctorReport()
        report.describeProgram()
        report.describeProcessor()
        report.describeMemory()
        do {
            let settings = try options.load()
            await report.examine(settings: settings)
            let directory = report.examine(dataDirectory: settings)
            report.examine(port: settings, dataDirectory: directory)
            report.describeCameras()
            report.examine(sandbox: settings)
            await report.examine(models: settings)
        } catch {
            report.wrong("settings", "\(error)")
        }
        print(report.lines.joined(separator: "\n"))
        if report.isWrong { throw ExitCode.failure }
    }
}

/// The lines of `menagerie doctor`.
struct DoctorReport {
    private(set) var lines: [String] = []
    private(set) var isWrong = false

    mutating func ok(_ subject: String, _ text: String) { add("ok", subject, text) }

    mutating func note(_ subject: String, _ text: String) { add("note", subject, text) }

    mutating func wrong(_ subject: String, _ text: String) {
        isWrong = true
        add("WRONG", subject, text)
    }

    private mutating func add(_ verdict: String, _ subject: String, _ text: String) {
        lines.append(
            verdict.padding(toLength: 7, withPad: " ", startingAt: 0)
                + subject.padding(toLength: 12, withPad: " ", startingAt: 0) + text)
    }

    // MARK: The machine

    mutating func describeProgram() {
        let release = Self.text("/etc/os-release").split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
        let system = release?.dropFirst("PRETTY_NAME=".count).trimmingCharacters(in: ["\""]) ?? "unknown system"
        let kernel = Self.text("/proc/sys/kernel/osrelease").trimmingCharacters(in: .whitespacesAndNewlines)
        ok("program", "menagerie \(Version.current), \(Version.processor), Swift \(Version.compiler)")
        ok("system", "\(system), Linux \(kernel)")
    }

    mutating func describeProcessor() {
        let model = Processor.model ?? "unknown processor"
        let name = "\(model), \(counted(ProcessInfo.processInfo.activeProcessorCount, "core"))"
        switch Processor.level {
        case .tooOld: wrong("processor", "\(name), without SSE4.2, which the networks need")
        case .floating(let sets):
            note("processor", "\(name), \(sets) without VNNI: a photo costs about 2.5 times the processor time")
        case .bytes(let sets): ok("processor", "\(name), \(sets): networks are computed in int8")
        }
    }

    mutating func describeMemory() {
        let lines = Self.text("/proc/meminfo").split(separator: "\n")
        func megabytes(_ key: String) -> Int? {
            lines.first { $0.hasPrefix(key + ":") }.flatMap { $0.split(separator: " ").dropFirst().first }
                .flatMap { Int($0) }.map { $0 / 1024 }
        }
        guard let total = megabytes("MemTotal"), let free = megabytes("MemAvailable") else { return }
        let text = "\(free) of \(total) MB available"
        if free < 500 { note("memory", text + "; the service takes 300 to 500") } else { ok("memory", text) }
    }

    mutating func describeCameras() {
        let devices = (try? FileManager.default.contentsOfDirectory(atPath: "/dev")) ?? []
        let cameras = devices.filter { $0.hasPrefix("video") }.sorted()
        ok("cameras", cameras.isEmpty ? "none at /dev/video*" : cameras.map { "/dev/" + $0 }.joined(separator: ", "))
    }

    // MARK: What the settings name

    /// - Returns: the path of the folder. Nil if the settings and the environment do not determine it.
    mutating func examine(dataDirectory settings: Settings) -> String? {
        do {
            let path = try DataDirectory(settings).path
            // If the folder does not exist yet, the nearest one above it is examined.
            var existing = path
            while !FileManager.default.fileExists(atPath: existing), existing.count > 1 {
                existing = (existing as NSString).deletingLastPathComponent
            }
            // A relative path may begin in the current folder.
            if existing.isEmpty { existing = "." }
            guard FileSystem.isDirectory(existing) else {
                wrong("data", "\(path): \(existing) is not a folder")
                return path
            }
            guard FileManager.default.isWritableFile(atPath: existing) else {
                wrong("data", "\(path): this user may not write to \(existing)")
                return path
            }
            let attributes = try FileManager.default.attributesOfFileSystem(forPath: existing)
            let free = (attributes[.systemFreeSize] as? NSNumber).map { $0.int64Value >> 20 } ?? 0
            let text = "\(path), \(free) MB free"
            if free < 500 { note("data", text + ": little for photos and films") } else { ok("data", text) }
            return path
        } catch {
            wrong("data", "\(error)")
            return nil
        }
    }

    mutating func examine(port settings: Settings, dataDirectory: String?) {
        if let dataDirectory, let service = try? RunningService(in: dataDirectory) {
            return ok("port", "the service runs: \(service)")
        }
        do {
            let configuration = try ServerConfiguration(settings)
            try Server.probe(configuration)
            ok("port", "\(configuration.address) is free")
        } catch {
            wrong("port", "\(error)")
        }
    }

    mutating func examine(models settings: Settings) async {
        do {
            let start = ContinuousClock.now
            let recogniser = try await Application.startRecogniser(settings)
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            recogniser.stop()
            let model = recogniser.defaultModel
            ok("model", "\(model) is whole and answers; loading took \((seconds * 10).rounded() / 10) s")
            let store = ModelStore(root: try AssetLocator.models(settings))
            for name in store.names where name != model {
                for version in store.versions(of: name) {
                    do {
                        _ = try store.open(name, version: version)
                        ok("model", "\(name), version \(version)")
                    } catch {
                        note("model", "\(name), version \(version): \(error)")
                    }
                }
            }
        } catch {
            wrong("model", "\(error)")
        }
    }

    private static func text(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
}

extension DoctorReport {
    /// Reports how far the kernel supports the sandbox for decoding films and trying models.
    mutating func examine(sandbox settings: Settings) {
        let isRequired = settings[Settings.videoSandbox] == Sandbox.Demand.required.rawValue
        do {
            let strength = try Sandbox.strength()
            guard !strength.isWhole else {
                let kept =
                    strength.replaced.isEmpty
                    ? "namespaces and a list of system calls"
                    : "Landlock and a list of system calls, without namespaces"
                return ok("sandbox", "films are decoded behind \(kept)")
            }
            let text = "films are decoded without \(strength.lacking)" + Self.advice(strength.lacking)
            if isRequired { wrong("sandbox", text) } else { note("sandbox", text) }
        } catch {
            wrong("sandbox", "films cannot be decoded: \(error)")
        }
    }

    /// - Returns: steps to take. Empty if none are known.
    private static func advice(_ lacking: Sandbox.Walls) -> String {
        var steps: [String] = []
        if !lacking.isDisjoint(with: [.user, .processes, .files, .network]) {
            for (path, refusal, step) in [
                ("/proc/sys/user/max_user_namespaces", "0", "set the sysctl user.max_user_namespaces to 1000"),
                (
                    "/proc/sys/kernel/unprivileged_userns_clone", "0",
                    "set the sysctl kernel.unprivileged_userns_clone to 1"
                ),
                (
                    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1",
                    "allow the program user namespaces in a profile of AppArmor"
                ),
            ] where text(path).trimmingCharacters(in: .whitespacesAndNewlines) == refusal {
                steps.append(step)
            }
            steps.append("use a kernel with Landlock (Linux 5.13, “landlock” in lsm=)")
            steps.append(
                "allow landlock_create_ruleset, landlock_add_rule and landlock_restrict_self in the container's profile"
            )
        }
        if lacking.contains(.calls) { steps.append("allow the system call seccomp, on x86-64 or AArch64") }
        if lacking.contains(.threads) { steps.append("run the service as a user who is not root") }
        return steps.isEmpty ? "" : "; to mend it: " + steps.joined(separator: ", or ")
    }
}
