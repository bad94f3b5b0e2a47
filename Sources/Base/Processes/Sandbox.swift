internal import CSystemCalls
internal import Foundation
internal import Glibc

/// The walls around a helper process. Even if foreign bytes take control of its code, it can only compute, read the
/// descriptors that it was handed, and write to them.
///
/// The helper calls ``enter(messages:closingFrom:reading:)`` as its first step, opens the files that it needs, and
/// calls ``lock(_:)``. Only then does it read foreign bytes.
///
/// If the kernel refuses namespaces, Landlock and the list of system calls replace them.
package struct Sandbox: Sendable, Hashable, Codable {
    /// The parts of the outside world that a helper may reach.
    package enum Reach: Int32, Sendable, Codable {
        case nothing
        /// Files by their names, for reading: those given to ``Sandbox/enter(messages:closingFrom:reading:)``, or all
        /// of them on a kernel without Landlock.
        case files
        /// Files, devices and the network, for the helper's whole life.
        case network
    }

    /// The consequence when the kernel refuses a wall.
    package enum Demand: String, Sendable, Codable, CaseIterable {
        /// The helper does not work at all.
        case required
        /// The helper works behind the walls that the kernel grants.
        case best
    }

    package var reach: Reach
    package var demand: Demand
    /// The bytes of memory beyond those that the program has mapped at its beginning.
    package var memory: Int
    /// The seconds of processor time; nil sets no limit.
    package var processorTime: Int?
    /// The largest file that the helper may write, in bytes.
    package var fileBytes: Int
    /// The largest number of threads at a time.
    package var threads: Int

    package init(
        reach: Reach = .nothing, demand: Demand = .best, memory: Int, processorTime: Int?, fileBytes: Int = 0,
        threads: Int = 512
    ) {
        self.reach = reach
        self.demand = demand
        self.memory = memory
        self.processorTime = processorTime
        self.fileBytes = fileBytes
        self.threads = threads
    }

    /// Continues in a child process that is isolated from this one's parent, with limits from now on. The calling
    /// process stays as the child's keeper: it ends the child when nobody reads its messages any more, and ends with
    /// the child's status.
    ///
    /// - Parameters:
    ///   - messages: the writing end of the pipe that the parent of this process reads.
    ///   - first: descriptors from this number on are closed.
    ///   - readable: files, and folders with their content, for ``Reach/files``.
    /// - Returns: the walls that the kernel refused.
    /// - Throws: ``ProcessError``, in the child or in its place.
    package func enter(
        messages: Int32, closingFrom first: Int32, reading readable: [String] = []
    ) throws(ProcessError) -> Walls {
        let mapped = Self.mappedBytes()
        var lacking: Int32 = 0
        var paths = readable.map { UnsafePointer(strdup($0)) } + [nil]
        let code = menagerie_sandbox_enter(reach.rawValue, messages, first, &paths, &lacking)
        paths.forEach { free(UnsafeMutablePointer(mutating: $0)) }
        guard code == 0 else { throw ProcessError("no sandbox: \(ProcessError.text(code))") }
        try limit(RLIMIT_CORE, 0)
        try limit(RLIMIT_NOFILE, 64)
        try limit(RLIMIT_FSIZE, fileBytes)
        try limit(RLIMIT_AS, mapped + min(max(0, memory), Int.max - mapped))
        // The signal of the first limit shows the reason. The second limit kills.
        if let processorTime { try limit(RLIMIT_CPU, max(1, processorTime), grace: 5) }
        return Walls(rawValue: lacking)
    }

    /// Gives up for good every right that computing does not need. Call it after
    /// ``enter(messages:closingFrom:reading:)`` and before reading foreign bytes.
    ///
    /// - Parameter lacking: the result of `enter`.
    /// - Throws: ``ProcessError`` if the kernel refuses a wall that is demanded.
    @discardableResult package func lock(_ lacking: Walls) throws(ProcessError) -> Strength {
        var (bits, replaced) = (lacking.rawValue, Int32(0))
        menagerie_sandbox_lock(reach.rawValue, Int32(clamping: threads), &bits, &replaced)
        let strength = Strength(lacking: Walls(rawValue: bits), replaced: Walls(rawValue: replaced))
        guard demand == .best || strength.isWhole else {
            throw ProcessError("the kernel allows no whole sandbox, without \(strength.lacking)")
        }
        return strength
    }

    /// - Parameter grace: the distance from the limit that sends its own signal to the limit that kills.
    private func limit(_ name: __rlimit_resource, _ value: Int, grace: Int = 0) throws(ProcessError) {
        let resource = __rlimit_resource_t(name.rawValue)
        var limit = rlimit(
            rlim_cur: rlim_t(clamping: value),
            rlim_max: rlim_t(clamping: value.addingReportingOverflow(grace).partialValue))
        var current = rlimit()
        getrlimit(resource, &current)
        limit.rlim_max = min(limit.rlim_max, current.rlim_max)
        limit.rlim_cur = min(limit.rlim_cur, limit.rlim_max)
        guard setrlimit(resource, &limit) == 0 else { throw ProcessError("setrlimit: \(ProcessError.text(errno))") }
    }

    private static func mappedBytes() -> Int {
        // The file's size reads as 0, like that of every file in proc(5).
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").first.flatMap { Int($0) } ?? 1 << 19) * Int(getpagesize())
    }
}

extension Sandbox {
    /// The walls of a sandbox that a kernel refuses or replaces.
    package struct Strength: Sendable, Hashable {
        /// The walls that the kernel refuses.
        package let lacking: Walls
        /// The refused walls that Landlock and the list of system calls replace.
        package let replaced: Walls

        package var isWhole: Bool { lacking.isEmpty }
    }

    package struct Walls: OptionSet, Sendable, Hashable, CustomStringConvertible {
        package let rawValue: Int32

        package init(rawValue: Int32) { self.rawValue = rawValue }

        /// The helper runs as a user of its own.
        package static let user = Walls(rawValue: Int32(MENAGERIE_WALL_USER))
        /// The helper sees no other processes.
        package static let processes = Walls(rawValue: Int32(MENAGERIE_WALL_PROCESSES))
        package static let files = Walls(rawValue: Int32(MENAGERIE_WALL_FILES))
        package static let network = Walls(rawValue: Int32(MENAGERIE_WALL_NETWORK))
        /// The helper makes only listed system calls.
        package static let calls = Walls(rawValue: Int32(MENAGERIE_WALL_CALLS))
        package static let threads = Walls(rawValue: Int32(MENAGERIE_WALL_THREADS))

        private static let names: [(Walls, String)] = [
            (.user, "a user of its own"), (.processes, "processes of its own"), (.files, "a root folder of its own"),
            (.network, "a network of its own"), (.calls, "a list of system calls"), (.threads, "a bound on threads"),
        ]

        /// A list such as `a user of its own, a network of its own`.
        package var description: String { Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ") }
    }
}
