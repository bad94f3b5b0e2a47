import Base
import Foundation
import Glibc
import ModelImport

/// The helper's side of ``ModelTrial``: the process that a model may crash.
package enum TrialHelper {
    /// The program's command that runs a helper.
    package static let command = "model-trial"

    /// The exit status after using too much memory.
    static let outOfMemory: Int32 = 40

    /// The whole life of a helper. No thread may have been started before.
    ///
    /// - Parameter order: a `TrialOrder` as JSON.
    /// - Returns: the exit status.
    package static func run(order text: String) -> Int32 {
        guard let order = try? JSONDecoder().decode(TrialOrder.self, from: Data(text.utf8)) else { return 2 }
        let sandbox = order.limits.sandbox
        do {
            let lacking = try sandbox.enter(
                messages: HelperProcess.messages, closingFrom: 3, reading: TrialFiles.readable(for: order.task))
            // The output of libraries must not mix with the messages.
            let messages = dup(HelperProcess.messages)
            dup2(2, HelperProcess.messages)
            watchMemory(limit: order.limits.memory)
            try startEngine()
            try sandbox.lock(lacking)
            let report = work(order)
            return send(report, to: messages) ? 0 : 1
        } catch {
            return 3
        }
    }

    /// Makes the engine load its libraries and start its threads, which the sandbox forbids later.
    private static func startEngine() throws(RecognitionError) {
        let input = ModelManifest.Input(name: "x", layout: "NCHW", size: [8, 8], channels: .rgb)
        _ = try TrialRun(.onnx(ONNXGraph.smallest), input: input, outputs: ["y"])
    }

    private static func work(_ order: TrialOrder) -> TrialReport {
        do throws(RecognitionError) {
            switch order.task {
            case .inspect(let path, let name, let version):
                try check(path)
                return TrialReport(proposal: try ManifestProposal(inspecting: path, name: name, version: version))
            case .load(let folder, let name, let version):
                // The files are checked before the manifest, which may need the weights.
                for file in ModelStore.modelFiles(in: folder) { try check("\(folder)/\(file)") }
                try load(folder, name, version)
                return TrialReport()
            }
        } catch {
            switch error {
            case .brokenModel(_, let fault, let reason):
                return TrialReport(problem: .init(fault: fault.rawValue, reason: reason))
            case .engine(let reason):
                return TrialReport(problem: .init(fault: ModelFault.network.rawValue, reason: reason))
            default:
                return TrialReport(problem: .init(fault: ModelFault.network.rawValue, reason: "\(error)"))
            }
        }
    }

    private static func load(_ folder: String, _ name: String, _ version: String) throws(RecognitionError) {
        let entry = try ModelStore.entry(in: folder, name: name, version: version, inspection: .here)
        let lanes = LaneScheduler(policy: QueuePolicy())
        let loading = ModelLoading(
            engineOptions: EngineOptions(lanes: 1), lanes: lanes, observer: NoObserver(), residentMemory: { 0 },
            defers: false)
        try loading.load(entry).stop()
    }

    /// Checks a file against ``ModelBounds``.
    private static func check(_ path: String) throws(RecognitionError) {
        let form: ModelBounds.Form
        switch ModelFormat(fileName: path) {
        case .onnx: form = .onnx
        case .tensorflow: form = .tensorFlow
        case .tflite: form = .tensorFlowLite
        case .openvino: form = .openVINO
        // Its translation has limits of its own and produces a small graph.
        case .coreml, nil: return
        }
        do {
            guard let bytes = try FileSystem.load(path, limit: ModelBounds.fileBytes) else {
                throw RecognitionError.engine("\(path) cannot be read")
            }
            try ModelBounds.check(bytes, as: form)
        } catch let error as RecognitionError {
            throw error
        } catch {
            throw .engine("\(error)")
        }
    }

    /// Ends the process when it holds more memory than allowed. The limit on mapped memory (RLIMIT_AS) is higher,
    /// because engines map much that they never use.
    private static func watchMemory(limit: Int) {
        let thread = Thread {
            var usage = rusage()
            while true {
                getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
                if usage.ru_maxrss > limit >> 10 { _exit(outOfMemory) }
                // No event tells how much memory a process holds.
                Thread.sleep(forTimeInterval: 0.005)
            }
        }
        thread.stackSize = 1 << 17
        thread.start()
    }

    /// The report as JSON. One that is too long becomes a report of that.
    static func text(of report: TrialReport) throws -> Data {
        let text = try JSONEncoder().encode(report)
        guard text.count > ModelTrial.maximumReport else { return text }
        let reason = "its labels and licence take \(text.count) bytes; at most \(ModelTrial.maximumReport) are read"
        return try JSONEncoder().encode(
            TrialReport(problem: .init(fault: ModelFault.manifest.rawValue, reason: reason)))
    }

    /// Writes the length of the text in 4 bytes, little-endian, and the text.
    private static func send(_ report: TrialReport, to descriptor: Int32) -> Bool {
        guard let text = try? text(of: report) else { return false }
        let length = withUnsafeBytes(of: UInt32(text.count).littleEndian) { Array($0) }
        var rest = (length + text)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return false }
            rest = rest.dropFirst(max(0, count))
        }
        return true
    }
}

/// A helper's task with its limits.
struct TrialOrder: Codable, Sendable {
    enum Task: Codable, Sendable {
        /// Describe a file.
        case inspect(path: String, name: String, version: String)
        /// Load the version in a folder and run it once.
        case load(folder: String, name: String, version: String)
    }

    let task: Task
    let limits: ModelTrial.Limits
}

/// A helper's report on a model.
struct TrialReport: Codable, Sendable {
    struct Problem: Codable, Sendable {
        let fault: String
        let reason: String
    }

    var proposal: ManifestProposal?
    /// Nil for a model that passed.
    var problem: Problem?
}
