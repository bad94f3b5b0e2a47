internal import Foundation
package import Testing

/// A real Core ML file of the shared folder, with the answers of an independent conversion.
package struct CoreMLFixture: CustomTestStringConvertible {
    package let name: String

    package static let all = [
        "mnistCNN", "MNIST_sgangele", "MNISTClassifier_umerzia", "example_5s0_hand_model", "Fruit",
    ].map { CoreMLFixture(name: $0) }

    private static let folder = SharedFolder.url.appending(path: "models/third_party/mlmodel")

    package static let areThere = FileManager.default.fileExists(atPath: folder.path)
    package static let absence: Comment = "the shared models are not there: set SHARED_FOLDER to the shared folder"

    package init(name: String) {
        self.name = name
    }

    package var testDescription: String { name }

    package func bytes() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: Self.folder.appending(path: "\(name).mlmodel")))
    }

    package func labels() throws -> [String] {
        try String(contentsOf: Self.folder.appending(path: "\(name).labels"), encoding: .utf8)
            .split(separator: "\n").map(String.init)
    }

    /// `input` (1×C×H×W, 0…255, before preprocessing) and the outputs, by name.
    package func answers() throws -> [String: NumpyArchive.Array] {
        try NumpyArchive(contentsOf: Self.folder.appending(path: "\(name).answers.npz")).arrays
    }
}
