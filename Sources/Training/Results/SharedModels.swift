import Base
import Foundation
import Logging
import Recognition
import Storage

/// Gives every process the trained models. The files of all versions and the deployments are rows of the shared
/// database. Each process has a copy of them in its folder.
struct SharedModels: Sendable {
    struct Setting: Equatable {
        var deployment: ModelDeployment
        /// Whether the head also answers beside its base; see ``AttachedHeads``.
        var isAttached: Bool
    }

    /// The file that replaces a removed version, so that a process that was unreachable does not publish it again.
    private static let removedMark = "removed"
    /// The file that shows that a version is complete. Without it the version's number is only reserved.
    private static let manifest = "manifest.json"
    private static let root = "models/"

    private static let logger = Logger(label: "menagerie.training")

    let folder: TrainedModelFolder
    let files: SharedFiles
    /// Makes one change of the folder at a time, also for those who change deployments.
    let pool: BlockingPool

    /// Runs file operations off the cooperative pool.
    private func blocking<Value: Sendable>(
        _ body: @escaping @Sendable (TrainedModelFolder) throws -> Value
    ) async throws -> Value {
        try await pool.run { [folder] in try body(folder) }
    }

    private func path(_ name: String, _ rest: String...) -> String {
        Self.root + ([name] + rest).joined(separator: "/")
    }

    /// Reserves a version that no other training has or had.
    func newVersion(of name: String, training: ULID) async throws -> String {
        let mark = try TrainedModelFolder.mark(training)
        var number = Int(try await blocking { $0.nextVersion(of: name) }) ?? 1
        while true {
            let version = "\(number)"
            // A number whose version was removed stays removed for all processes.
            if try await files.add(path(name, version, TrainedModelFolder.markFile), mark) == mark,
                try await files.file(path(name, version, Self.removedMark)) == nil
            {
                return version
            }
            number += 1
        }
    }

    /// Copies a version to the database.
    func publish(_ name: String, _ version: String) async throws {
        // The deployment is written before the version is there, so that the version does not answer by itself.
        _ = try await files.add(path(name, ModelDeployment.file), try ModelDeployment().json())
        let contents = try await blocking { try $0.contents(name, version) }
        try await files.replace(contents.reduce(into: [:]) { $0[path(name, version, $1.key)] = $1.value })
    }

    func remove(_ name: String, _ version: String) async throws {
        try await files.remove(under: path(name, version, ""), leaving: path(name, version, Self.removedMark))
    }

    /// Changes a deployment for all processes.
    ///
    /// - Returns: the new deployment.
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

    /// Sets for all processes whether the deployed head also answers beside its base.
    func attach(_ name: String, _ isAttached: Bool) async throws {
        try await files.replace([path(name, AttachedHeads.flag): try AttachedHeads.flag(isAttached)])
    }

    /// Publishes the versions that only this process has, and fetches those that it does not have.
    ///
    /// - Returns: the versions removed here because another process had removed them, and the deployment of each model.
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
                // An earlier release did not share versions, or a training was interrupted before it published this
                // one.
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
                // This model keeps its deployment here. The other models are not affected.
                Self.logger.error(
                    "What the database says of a model is damaged", metadata: ["model": "\(name)", "error": "\(error)"])
            }
        }
        return (removed, settings)
    }
}
