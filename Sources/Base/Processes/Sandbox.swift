internal import CSystemCalls
internal import Foundation
internal import Glibc

/// The walls around a helper process: whatever foreign bytes make of its code, it can compute, read the descriptors that it
/// was handed, and write to them.
///
/// The helper calls ``enter(messages:closingFrom:reading:)`` as its very first step, opens what it needs, calls
/// ``lock(_:)``, and only then looks at a foreign byte.
///
/// Where the kernel refuses namespaces, Landlock and the list of system calls stand in their place.
package struct Sandbox: Sendable, Hashable, Codable {
    /// What a helper may reach of the world outside.
    package enum Reach: Int32, Sendable, Codable {
        case nothing
        /// Files by their names, for reading: those that ``Sandbox/enter(messages:closingFrom:reading:)`` is told of, or all
        /// where the kernel has no Landlock.
        case files
        /// Files, devices and the network, for good.
        case network
    }

    /// What becomes of a helper where the kernel refuses a wall.
    package enum Demand: String, Sendable, Codable, CaseIterable {
        /// It does not work at all.
        case required
        /// It works behind those that there are.
        case best
    }

    package var reach: Reach
    package var demand: Demand
    /// Bytes of memory beyond those that the program has mapped when it begins.
    package var memory: Int
    /// Seconds of processor time; nil: any number.
    package var processorTime: Int?
    /// Bytes that a file may have that it writes.
    package var fileBytes: Int
    /// Threads at a time.
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

    /// Goes on in a child that is a stranger to the process that started this one, with the limits that hold from now on.
    /// What called it stays behind as the child's keeper: it ends the child when nobody reads its messages any more, and
    /// ends as the child did.
    ///
    /// - Parameters:
    ///   - messages: the writing end of the pipe that whoever started this process reads.
    ///   - first: descriptors from this number on are closed.
    ///   - readable: files, and folders with all that they hold, of ``Reach/files``.
    /// - Returns: the walls that the kernel refused.
    /// - Throws: ``ProcessError``, in the child or in place of it.
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
        // The signal of the first limit says why; the second one kills.
        if let processorTime { try limit(RLIMIT_CPU, max(1, processorTime), grace: 5) }
        return Walls(rawValue: lacking)
    }

    /// Takes away what is not needed to compute, for good; after ``enter(messages:closingFrom:reading:)``, before the first foreign byte.
    ///
    /// - Parameter lacking: what `enter` returned.
    /// - Throws: ``ProcessError`` where a wall is refused that is demanded.
    @discardableResult package func lock(_ lacking: Walls) throws(ProcessError) -> Strength {
        var (bits, replaced) = (lacking.rawValue, Int32(0))
        menagerie_sandbox_lock(reach.rawValue, Int32(clamping: threads), &bits, &replaced)
        let strength = Strength(lacking: Walls(rawValue: bits), replaced: Walls(rawValue: replaced))
        guard demand == .best || strength.isWhole else {
            throw ProcessError("the kernel allows no whole sandbox, without \(strength.lacking)")
        }
        return strength
    }

    /// - Parameter grace: by which the limit that kills lies above the one that sends a signal of its own.
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
        // The file says that it is empty, as all of proc(5) do.
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").first.flatMap { Int($0) } ?? 1 << 19) * Int(getpagesize())
    }
}

extension Sandbox {
    /// What a kernel makes of a sandbox.
    package struct Strength: Sendable, Hashable {
        /// Walls that it refuses.
        package let lacking: Walls
        /// Walls that it refuses, in whose place Landlock and the list of system calls stand.
        package let replaced: Walls

        package var isWhole: Bool { lacking.isEmpty }

        init(lacking: Walls, replaced: Walls) {
            self.lacking = lacking
            self.replaced = replaced
        }
    }

    /// Walls of a sandbox.
    package struct Walls: OptionSet, Sendable, Hashable, CustomStringConvertible {
        package let rawValue: Int32

        package init(rawValue: Int32) { self.rawValue = rawValue }

        /// Its files and rights are another user's.
        package static let user = Walls(rawValue: Int32(MENAGERIE_WALL_USER))
        /// It sees no process but itself.
        package static let processes = Walls(rawValue: Int32(MENAGERIE_WALL_PROCESSES))
        package static let files = Walls(rawValue: Int32(MENAGERIE_WALL_FILES))
        package static let network = Walls(rawValue: Int32(MENAGERIE_WALL_NETWORK))
        /// It makes no system calls but those of a list.
        package static let calls = Walls(rawValue: Int32(MENAGERIE_WALL_CALLS))
        package static let threads = Walls(rawValue: Int32(MENAGERIE_WALL_THREADS))

        private static let names: [(Walls, String)] = [
            (.user, "a user of its own"), (.processes, "processes of its own"), (.files, "a root folder of its own"),
            (.network, "a network of its own"), (.calls, "a list of system calls"), (.threads, "a bound on threads"),
        ]

        /// Such as `a user of its own, a network of its own`.
        package var description: String { Self.names.filter { contains($0.0) }.map(\.1).joined(separator: ", ") }
    }
}
