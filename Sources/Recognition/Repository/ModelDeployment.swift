import FoundationEssentials

/// Which version of a trained model answers for its name: `deployment.json` in the model's folder. A model without that
/// file is answered for by its latest version.
package struct ModelDeployment: Codable, Sendable, Equatable {
    /// nil: none, until one is chosen.
    package private(set) var version: String?
    /// Those that answered before, the latest of them last.
    package private(set) var earlier: [String]
    /// The version that answers beside it, and whose answers nobody is given; nil: none does.
    package private(set) var shadow: String?

    package static let file = "deployment.json"
    private static let maximumEarlier = 100

    package init(version: String? = nil, earlier: [String] = []) {
        self.version = version
        self.earlier = earlier
    }

    /// Has another version answer.
    package mutating func deploy(_ version: String) {
        if version == shadow { shadow = nil }
        guard version != self.version else { return }
        if let current = self.version { earlier.append(current) }
        earlier = Array(earlier.suffix(Self.maximumEarlier))
        self.version = version
    }

    /// Has the version before answer again; nil, and so none, where there was none.
    package mutating func rollBack() {
        version = earlier.popLast()
        if version == nil || version == shadow { shadow = nil }
    }

    /// Has a version answer beside the one that answers for the name.
    ///
    /// - Parameter version: nil: none does any more.
    package mutating func shadow(by version: String?) { shadow = version }

    /// Forgets a version that is gone.
    package mutating func forget(_ version: String) {
        earlier.removeAll { $0 == version }
        if version == shadow { shadow = nil }
    }

    /// - Parameter folder: that of the model.
    static func read(in folder: String) -> ModelDeployment? {
        FileManager.default.contents(atPath: "\(folder)/\(file)").flatMap {
            try? JSONDecoder().decode(ModelDeployment.self, from: $0)
        }
    }
}
