import FoundationEssentials

/// The version of a trained model that answers for its name: `deployment.json` in the model's folder. Without that
/// file, the latest version answers.
package struct ModelDeployment: Codable, Sendable, Equatable {
    /// Nil if no version answers until one is chosen.
    package private(set) var version: String?
    /// The versions that answered before, the latest one last.
    package private(set) var earlier: [String] = []
    /// The challenger, whose answers are only compared and given to nobody. Nil if there is none.
    package var shadow: String?

    package static let file = "deployment.json"
    private static let maximumEarlier = 100

    package init() {}

    /// Makes another version answer.
    package mutating func deploy(_ version: String) {
        if version == shadow { shadow = nil }
        guard version != self.version else { return }
        if let current = self.version { earlier.append(current) }
        earlier = Array(earlier.suffix(Self.maximumEarlier))
        self.version = version
    }

    /// Makes the previous version answer again. If there is none, no version answers.
    package mutating func rollBack() {
        version = earlier.popLast()
        if version == nil || version == shadow { shadow = nil }
    }

    /// Removes a deleted version from the record.
    package mutating func forget(_ version: String) {
        earlier.removeAll { $0 == version }
        if version == shadow { shadow = nil }
    }

    /// - Parameter folder: the folder of the model.
    static func read(in folder: String) -> ModelDeployment? {
        FileManager.default.contents(atPath: "\(folder)/\(file)").flatMap {
            try? JSONDecoder().decode(ModelDeployment.self, from: $0)
        }
    }
}
