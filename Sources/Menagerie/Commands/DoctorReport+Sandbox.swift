import Base
import Foundation

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
            ] where number(path) == refusal {
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

    private static func number(_ path: String) -> String? {
        (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
