import Foundation
import Testing

@testable import Recognition

/// A real Core ML file of the shared folder with the answers that a separate conversion of it gives.
struct CoreMLFixture: CustomTestStringConvertible {
    let name: String

    static let all = [
        "mnistCNN", "MNIST_sgangele", "MNISTClassifier_umerzia", "example_5s0_hand_model", "Fruit",
    ].map(CoreMLFixture.init)

    /// Next to the package, or where SHARED_FOLDER says.
    static let folder: URL = {
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        let shared =
            ProcessInfo.processInfo.environment["SHARED_FOLDER"].map { URL(filePath: $0) }
            ?? package.appending(path: "../shared").standardized
        return shared.appending(path: "models/third_party/mlmodel")
    }()

    static let areThere = FileManager.default.fileExists(atPath: folder.path)
    static let absence: Comment = "the shared models are not there: set SHARED_FOLDER to the shared folder"

    var testDescription: String { name }

    func bytes() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: Self.folder.appending(path: "\(name).mlmodel")))
    }

    func labels() throws -> [String] {
        try String(contentsOf: Self.folder.appending(path: "\(name).labels"), encoding: .utf8)
            .split(separator: "\n").map(String.init)
    }

    /// `input` (1×C×H×W, 0…255, before preprocessing) and the outputs by name.
    func answers() throws -> [String: NumpyArchive.Array] {
        try NumpyArchive(contentsOf: Self.folder.appending(path: "\(name).answers.npz")).arrays
    }

    /// The largest difference from the known answers of an engine that runs the imported model.
    ///
    /// - Parameter run: runs ONNX bytes on an input that is already preprocessed; returns the outputs by name.
    func largestDifference(
        _ run: (_ onnx: [UInt8], _ input: NumpyArchive.Array) throws -> [String: [Float]]
    ) throws -> Float {
        let model = try CoreMLModel(parsing: bytes()).convert()
        var answers = try answers()
        let input = answers.removeValue(forKey: "input")
        let pixels = try #require(input)
        let results = try run(model.onnx, model.input.preprocess(pixels))
        var largest: Float = 0
        for (name, answer) in answers {
            let result = try #require(results[name], "no output \(name)")
            #expect(result.count == answer.values.count)
            for (left, right) in zip(result, answer.values) { largest = max(largest, abs(left - right)) }
        }
        return largest
    }
}

extension ImportedModel.Input {
    /// `scale * pixel + bias` for an array of 1×C×H×W.
    func preprocess(_ pixels: NumpyArchive.Array) -> NumpyArchive.Array {
        let plane = width * height
        let values = pixels.values.enumerated().map { index, pixel in
            scale * pixel + biases[index / plane % biases.count]
        }
        return NumpyArchive.Array(shape: pixels.shape, values: values)
    }
}
