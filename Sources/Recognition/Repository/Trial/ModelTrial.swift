package import Base
import Dispatch
import Foundation
import ModelImport

/// Tries untrusted models in a helper process before the service loads them. A malicious file can then only affect the
/// helper, which has limits on memory and time and can be killed at once.
///
/// A model that passes is remembered by the SHA-256 of its files, so that it is tried only once.
package final class ModelTrial: Sendable {
    package struct Limits: Codable, Sendable, Hashable {
        /// The most physical memory, in bytes.
        package var memory: Int
        /// The most seconds, both of processor time on one core and on the clock.
        package var seconds: Int

        package init(memory: Int = 4 << 30, seconds: Int = 120) {
            self.memory = memory
            self.seconds = seconds
        }

        var sandbox: Sandbox {
            Sandbox(reach: .files, memory: 2 * memory + (4 << 30), processorTime: 2 * seconds)
        }
    }

    /// The longest report of a helper, in bytes.
    static let maximumReport = ModelBounds.textBytes
    /// The most helpers at a time.
    private static let width = 2

    private let program: HelperProgram
    private let limits: Limits
    private let passed: PassedModels
    private let observer: any RecognitionObserver
    private let turns = DispatchSemaphore(value: width)

    /// - Parameters:
    ///   - program: the executable of this product.
    ///   - directory: stores which models passed. Nil remembers them only until this process ends.
    package init(
        program: HelperProgram = .current, limits: Limits = Limits(), directory: String?,
        observer: any RecognitionObserver = NoObserver()
    ) {
        self.program = program
        self.limits = limits
        self.observer = observer
        passed = PassedModels(directory: directory)
    }

    /// Inspects files in a helper.
    package var inspection: ModelInspection {
        ModelInspection { [self] path, name, version, ticket throws(RecognitionError) in
            let report = try report(on: .inspect(path: path, name: name, version: version), of: name, ticket)
            guard let proposal = report.proposal else { throw .engine("the helper process told nothing") }
            return proposal
        }
    }

    /// Makes a helper load a version and run it once, unless it passed before or came with the program. Blocks.
    ///
    /// - Parameter isAnew: whether to try it even if it passed before. Other files may lie beside the remembered ones.
    /// - Throws: `RecognitionError.brokenModel(name:fault:reason:)`, or `RecognitionError.stopped` if it was cancelled.
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

/// The way to inspect a model file.
package struct ModelInspection: Sendable {
    typealias Inspect =
        @Sendable (_ path: String, _ name: String, _ version: String, LoadTicket) throws(RecognitionError) ->
        ManifestProposal

    let inspect: Inspect

    init(_ inspect: @escaping Inspect) { self.inspect = inspect }

    /// Inspects trusted files in this process.
    package static let here = ModelInspection { path, name, version, _ throws(RecognitionError) in
        try ManifestProposal(inspecting: path, name: name, version: version)
    }
}

/// Cancels a load in progress.
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

    /// - Returns: false if the load was cancelled before.
    func attach(_ helper: HelperProcess) -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            state.helper = helper
            return true
        }
    }

    func detach() { state.withLock { $0.helper = nil } }
}
