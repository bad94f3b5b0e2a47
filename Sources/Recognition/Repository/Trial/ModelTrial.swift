package import Base
import Dispatch
import Foundation
import ModelImport

/// Tries models that nobody vouches for in a helper process, before the service loads them: whatever a file makes an engine
/// do, it does it there, with bounds on memory and time, and it can be killed at once.
///
/// What passed is remembered by the SHA-256 of its files, so that it is tried once.
package final class ModelTrial: Sendable {
    /// What a helper may take.
    package struct Limits: Codable, Sendable, Hashable {
        /// Bytes of physical memory.
        package var memory: Int
        /// Seconds of processor time of one core, and on the clock.
        package var seconds: Int

        package init(memory: Int = 4 << 30, seconds: Int = 120) {
            self.memory = memory
            self.seconds = seconds
        }

        var sandbox: Sandbox {
            Sandbox(reach: .files, memory: 2 * memory + (4 << 30), processorTime: 2 * seconds)
        }
    }

    /// Bytes of what a helper may tell.
    static let maximumReport = ModelBounds.textBytes
    /// Helpers at a time.
    private static let width = 2

    private let program: HelperProgram
    private let limits: Limits
    private let passed: PassedModels
    private let observer: any RecognitionObserver
    private let turns = DispatchSemaphore(value: width)

    /// - Parameters:
    ///   - program: of this product.
    ///   - directory: where it is remembered what passed; nil: only until this process ends.
    package init(
        program: HelperProgram = .current, limits: Limits = Limits(), directory: String?,
        observer: any RecognitionObserver = NoObserver()
    ) {
        self.program = program
        self.limits = limits
        self.observer = observer
        passed = PassedModels(directory: directory)
    }

    /// Looks into a file by a helper.
    package var inspection: ModelInspection {
        ModelInspection { [self] path, name, version, ticket throws(RecognitionError) in
            let report = try report(on: .inspect(path: path, name: name, version: version), of: name, ticket)
            guard let proposal = report.proposal else { throw .engine("the helper process told nothing") }
            return proposal
        }
    }

    /// Has a helper load a version and run it once, unless it passed before or came with the program. Blocks.
    ///
    /// - Parameter isAnew: whether it is tried though it passed before: beside the files that were remembered others may lie.
    /// - Throws: `RecognitionError.brokenModel(name:fault:reason:)`, or `RecognitionError.stopped` where it was cancelled.
    func run(_ entry: ModelStore.Entry, _ ticket: LoadTicket, isAnew: Bool = false) throws(RecognitionError) {
        let manifest = entry.manifest
        guard isAnew || !ShippedModels.includes(manifest) && !passed.contains(manifest) else { return }
        _ = try report(
            on: .load(folder: entry.folder, name: manifest.name, version: manifest.version), of: manifest.name, ticket)
        passed.insert(manifest)
    }

    private func report(
        on task: TrialOrder.Task, of name: String, _ ticket: LoadTicket
    ) throws(RecognitionError) -> TrialReport {
        turns.wait()
        defer { turns.signal() }
        let (report, outcome) = try attempt(task, ticket)
        observer.tried(outcome)
        switch outcome {
        case .passed: return report
        case .cancelled: throw .stopped
        case .refused:
            throw .brokenModel(
                name: name, fault: report.problem.flatMap { ModelFault(rawValue: $0.fault) } ?? .network,
                reason: report.problem?.reason ?? "it cannot be read")
        case .memory:
            throw .brokenModel(
                name: name, fault: .trial, reason: "it takes more than \(limits.memory >> 20) MiB of memory to run once"
            )
        case .time:
            throw .brokenModel(
                name: name, fault: .trial, reason: "it takes more than \(limits.seconds) s to load and run once")
        case .crashed:
            throw .brokenModel(name: name, fault: .trial, reason: "it crashes the process that tries it")
        }
    }

    private func attempt(
        _ task: TrialOrder.Task, _ ticket: LoadTicket
    ) throws(RecognitionError) -> (TrialReport, TrialOutcome) {
        let deadline = ContinuousClock.now + .seconds(limits.seconds)
        let helper: HelperProcess
        do {
            let order = try JSONEncoder().encode(TrialOrder(task: task, limits: limits))
            helper = try HelperProcess(
                program, [TrialHelper.command, String(decoding: order, as: UTF8.self)], descriptors: [(nil, 0)])
        } catch {
            throw .engine("no helper process can be started: \(error)")
        }
        guard ticket.attach(helper) else { return (TrialReport(), .cancelled) }
        defer { ticket.detach() }
        var report: TrialReport?
        do throws(HelperProcess.Late) {
            let length = try helper.read(4, patience: Double(limits.seconds))
            let count = length.reversed().reduce(0) { $0 << 8 | Int($1) }
            if length.count == 4, count <= Self.maximumReport {
                let text = try helper.read(count, patience: max(1, (deadline - .now) / .seconds(1)))
                report = try? JSONDecoder().decode(TrialReport.self, from: Data(text))
            }
        } catch {
            helper.cancel()
            helper.end()
            return (TrialReport(), ticket.isCancelled ? .cancelled : .time)
        }
        let ending = helper.end()
        if ticket.isCancelled { return (TrialReport(), .cancelled) }
        if let report { return (report, report.problem == nil ? .passed : .refused) }
        switch ending {
        case .status(TrialHelper.outOfMemory): return (TrialReport(), .memory)
        case .signal(SIGXCPU): return (TrialReport(), .time)
        default: return (TrialReport(), .crashed)
        }
    }
}

/// How a model file is looked into.
package struct ModelInspection: Sendable {
    typealias Inspect =
        @Sendable (_ path: String, _ name: String, _ version: String, LoadTicket) throws(RecognitionError) ->
        ManifestProposal

    let inspect: Inspect

    init(_ inspect: @escaping Inspect) {
        self.inspect = inspect
    }

    /// In this process, for files that whoever runs it vouches for.
    package static let here = ModelInspection { path, name, version, _ throws(RecognitionError) in
        try ManifestProposal(inspecting: path, name: name, version: version)
    }
}

/// By what a load is ended while it is under way.
package final class LoadTicket: Sendable {
    private let state = Locked((isCancelled: false, helper: HelperProcess?.none))

    package init() {}

    /// Kills the helper that tries the model.
    package func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.helper?.cancel()
        }
    }

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// - Returns: false where it was cancelled before.
    func attach(_ helper: HelperProcess) -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            state.helper = helper
            return true
        }
    }

    func detach() { state.withLock { $0.helper = nil } }
}
