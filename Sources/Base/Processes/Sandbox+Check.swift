internal import Glibc

/// Checks whether the kernel allows a whole sandbox. A helper locks itself in, reports and does nothing else.
extension Sandbox {
    /// The program's command that runs the check.
    package static let checkCommand = "sandbox-check"

    private static let nothing = Sandbox(memory: 256 << 20, processorTime: 10)

    /// Runs the check in the helper, which must not have started a thread before.
    ///
    /// - Returns: the exit status.
    package static func check() -> Int32 {
        do {
            let strength = try nothing.lock(try nothing.enter(messages: HelperProcess.messages, closingFrom: 3))
            let answer = [strength.lacking, strength.replaced].map { UInt8(truncatingIfNeeded: $0.rawValue) }
            return write(HelperProcess.messages, answer, answer.count) == answer.count ? 0 : 1
        } catch {
            return 1
        }
    }

    /// The strength of a helper's sandbox on this kernel. Blocks until the helper has reported.
    package static func strength(_ program: HelperProgram = .current) throws(ProcessError) -> Strength {
        let helper = try HelperProcess(program, [checkCommand], descriptors: [(nil, 0)])
        defer { helper.end() }
        guard let answer = try? helper.read(2, patience: 30), answer.count == 2 else {
            throw ProcessError("no helper process can be locked in")
        }
        return Strength(lacking: Walls(rawValue: Int32(answer[0])), replaced: Walls(rawValue: Int32(answer[1])))
    }
}
