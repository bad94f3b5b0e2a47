import Base
import Foundation
import History
import Logging
import Recognition

/// Has all replicas have the models that trainings made: the files of each version are rows of the database that the replicas
/// share, beside what says which version answers, and each replica has a copy of them in its folder.
struct SharedModels: Sendable {
    /// How a name is answered for.
    struct Setting: Equatable {
        var deployment: ModelDeployment
        /// Beside its base as well.
        var isAttached: Bool
    }

    /// Left in the place of a version that was removed, so that no replica that was away brings it back.
    private static let removedMark = "removed"
    /// Without it a version is only spoken for.
    private static let manifest = "manifest.json"
    private static let root = "models/"

    private static let logger = Logger(label: "menagerie.training")

    let folder: TrainedModelFolder
    let files: SharedFiles
    private let pool = BlockingPool(label: "menagerie.training.shared", width: 1, maximumPending: 256)

    /// Works with files, off the cooperative pool.
    private func blocking<Value: Sendable>(
        _ body: @escaping @Sendable (TrainedModelFolder) throws -> Value
    ) async throws -> Value {
        try await pool.run(whenFull: { TrainingError.queueFull($0) as any Error }) { [folder] in try body(folder) }
    }

    private func path(_ name: String, _ rest: String...) -> String {
        Self.root + ([name] + rest).joined(separator: "/")
    }

    /// A version that no other training has.
    func newVersion(of name: String, training: ULID) async throws -> String {
        let mark = try TrainedModelFolder.mark(training)
        var number = Int(try await blocking { $0.nextVersion(of: name) }) ?? 1
        while try await files.add(path(name, "\(number)", TrainedModelFolder.markFile), mark) != mark { number += 1 }
        return "\(number)"
    }

    /// Gives a version to the other replicas.
    func publish(_ name: String, _ version: String) async throws {
        // Before the version is there, so that it never answers unasked.
        _ = try await files.add(path(name, ModelDeployment.file), try ModelDeployment().json())
        let contents = try await blocking { try $0.contents(name, version) }
        try await files.replace(contents.reduce(into: [:]) { $0[path(name, version, $1.key)] = $1.value })
    }

    func remove(_ name: String, _ version: String) async throws {
        try await files.remove(under: path(name, version, ""), leaving: path(name, version, Self.removedMark))
    }

    /// Changes which version answers, for all replicas, and returns what holds then.
    func change(
        _ name: String, _ change: @escaping @Sendable (inout ModelDeployment) -> Void
    ) async throws -> ModelDeployment {
        let before = try await blocking { try $0.deployment(of: name).json() }
        let bytes = try await files.change(path(name, ModelDeployment.file), initially: before) { bytes in
            var deployment = try JSONDecoder().decode(ModelDeployment.self, from: Data(bytes))
            change(&deployment)
            return try deployment.json()
        }
        return try JSONDecoder().decode(ModelDeployment.self, from: Data(bytes))
    }

    /// Has the version that answers for a name answer beside its base as well, or no more, at all replicas.
    func attach(_ name: String, _ isAttached: Bool) async throws {
        try await files.replace([path(name, AttachedHeads.flag): try AttachedHeads.flag(isAttached)])
    }

    /// Gives the other replicas the versions that they do not have, and takes those that this one does not have.
    ///
    /// - Returns: what was removed here as another replica had removed it, and how each name is to be answered for.
    func exchange() async throws -> (removed: [ModelReference], settings: [String: Setting]) {
        var shared: [ModelReference: Set<String>] = [:]
        for path in try await files.paths(under: Self.root) {
            let parts = path.dropFirst(Self.root.count).split(separator: "/", maxSplits: 2).map(String.init)
            guard parts.count == 3, ModelReference.isName(parts[0]), ModelReference.isVersion(parts[1]) else {
                continue
            }
            shared[ModelReference(name: parts[0], version: parts[1]), default: []].insert(parts[2])
        }
        var removed: [ModelReference] = []
        var names = Set(shared.keys.map(\.name))
        for (name, version) in try await blocking({ $0.trainedVersions }) {
            let reference = ModelReference(name: name, version: version)
            let there = shared[reference] ?? []
            if there.contains(Self.removedMark) {
                try await blocking { try $0.remove(name, version) }
                removed.append(reference)
            } else if !there.contains(Self.manifest) {
                // Of a release that did not share them, or of a training that ended on the way.
                let mark = try await blocking { try $0.mark(name, version) }
                guard try await files.add(path(name, version, TrainedModelFolder.markFile), mark) == mark else {
                    continue
                }
                _ = try await change(name) { _ in }
                if !names.contains(name), try await blocking({ $0.isAttached(name) }) { try await attach(name, true) }
                try await publish(name, version)
                names.insert(name)
            }
        }
        for (reference, there) in shared where there.contains(Self.manifest) {
            let name = reference.name
            guard let version = reference.version, try await !blocking({ $0.holds(name, version) }) else { continue }
            let prefix = path(name, version, "")
            let contents = try await files.files(under: prefix).reduce(into: [String: [UInt8]]()) {
                $0[String($1.key.dropFirst(prefix.count))] = $1.value
            }
            try await blocking { try $0.place(contents, name, version) }
        }
        var settings: [String: Setting] = [:]
        for name in names {
            guard let bytes = try await files.file(path(name, ModelDeployment.file)) else { continue }
            let flag = try await files.file(path(name, AttachedHeads.flag))
            do {
                settings[name] = Setting(
                    deployment: try JSONDecoder().decode(ModelDeployment.self, from: Data(bytes)),
                    isAttached: try flag.map(AttachedHeads.isSet) ?? false)
            } catch {
                // How it was answered for here goes on; the other names are none the worse.
                Self.logger.error(
                    "What the database says of a model is damaged", metadata: ["model": "\(name)", "error": "\(error)"])
            }
        }
        return (removed, settings)
    }
}
