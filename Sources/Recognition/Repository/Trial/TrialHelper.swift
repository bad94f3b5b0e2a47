import Base
import Foundation
import Glibc
import ModelImport

/// A helper's side of ``ModelTrial``: the process that may be taken down by a model.
package enum TrialHelper {
    /// The command of the program that has it work.
    package static let command = "model-trial"

    /// The exit status of one that took too much memory.
    static let outOfMemory: Int32 = 40

    /// The whole life of a helper, which must not have started a thread before.
    ///
    /// - Parameter order: a `TrialOrder` as JSON.
    /// - Returns: the exit status.
    package static func run(order text: String) -> Int32 {
        guard let order = try? JSONDecoder().decode(TrialOrder.self, from: Data(text.utf8)) else { return 2 }
        let sandbox = order.limits.sandbox
        do {
            let lacking = try sandbox.enter(
                messages: HelperProcess.messages, closingFrom: 3, reading: TrialFiles.readable(for: order.task))
            // What libraries print must not stand among the messages.
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

    /// Has the engine open its libraries, look at the processor and start its threads, which it cannot later.
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
                // Before the manifest, for which the weights may have to be looked into.
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
        let lanes = LaneScheduler(policy: BatchPolicy())
        let loading = ModelLoading(
            engineOptions: EngineOptions(lanes: 1), lanes: lanes, observer: NoObserver(), residentMemory: { 0 })
        try loading.load(entry).stop()
    }

    /// Holds a file to ``ModelBounds``.
    private static func check(_ path: String) throws(RecognitionError) {
        let form: ModelBounds.Form
        switch ModelFormat(fileName: path) {
        case .onnx: form = .onnx
        case .tensorflow: form = .tensorFlow
        case .tflite: form = .tensorFlowLite
        case .openvino: form = .openVINO
        // Its translation has bounds of its own, and what comes of it is a small graph.
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

    /// Ends the process as soon as it holds more than it may. The limit on what it maps (RLIMIT_AS) lies higher: engines map
    /// much that they never touch.
    private static func watchMemory(limit: Int) {
        let thread = Thread {
            var usage = rusage()
            while true {
                getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
                if usage.ru_maxrss > limit >> 10 { _exit(outOfMemory) }
                usleep(5000)
            }
        }
        thread.stackSize = 1 << 17
        thread.start()
    }

    /// The length of the text in 4 bytes, little-endian, and the text.
    private static func send(_ report: TrialReport, to descriptor: Int32) -> Bool {
        guard let text = try? JSONEncoder().encode(report), text.count <= ModelTrial.maximumReport else { return false }
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
