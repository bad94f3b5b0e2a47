internal import Glibc

/// Whether the kernel allows a whole sandbox: told by a helper that locks itself in and does nothing else.
extension Sandbox {
    /// The command of the program that has it tell.
    package static let checkCommand = "sandbox-check"

    private static let nothing = Sandbox(memory: 256 << 20, processorTime: 10)

    /// The whole life of that helper, which must not have started a thread before.
    ///
    /// - Returns: the exit status.
    package static func check() -> Int32 {
        do {
            let lacking = try nothing.lock(try nothing.enter(messages: HelperProcess.messages, closingFrom: 3))
            return write(HelperProcess.messages, [UInt8(truncatingIfNeeded: lacking.rawValue)], 1) == 1 ? 0 : 1
        } catch {
            return 1
        }
    }

    /// The walls that helpers do without here. Blocks until the helper has told.
    package static func lacking(_ program: HelperProgram = .current) throws(ProcessError) -> Walls {
        let helper = try HelperProcess(program, [checkCommand], descriptors: [(nil, 0)])
        let answer = try? helper.read(1, patience: 30)
        guard let bits = answer?.first else { throw ProcessError("no helper process can be locked in") }
        return Walls(rawValue: Int32(bits))
    }
}
