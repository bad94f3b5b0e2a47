import Base
import FoundationEssentials
import ModelImport

/// Reads the manifest of one folder. Missing keys are inferred from the weights.
struct ManifestReader {
    let folder: String
    /// The name of the folder, for a manifest that gives neither name nor version.
    let name: String
    let version: String
    let inspection: ModelInspection
    let ticket: LoadTicket

    private var path: String { folder + "/manifest.json" }

    /// - Throws: `RecognitionError.brokenModel(name:fault:reason:)`.
    func read() throws(RecognitionError) -> ModelManifest {
        let data: Data?
        do {
            data = try FileSystem.load(path, limit: ModelBounds.textBytes).map { Data($0) }
        } catch {
            throw broken(.manifest, "\(path): \(error)")
        }
        guard let data else { return try decode(Data("{}".utf8), with: try propose(nil).manifest) }
        do {
            return try JSONDecoder().decode(ModelManifest.self, from: data)
        } catch DecodingError.keyNotFound(let key, let context) {
            return try complete(data, missing: Self.name(context.codingPath + [key]))
        } catch {
            throw unreadable(error)
        }
    }

    /// Levels are inferred only if the weights determine them. Otherwise an existing manifest stands as it is.
    private func complete(_ data: Data, missing key: String) throws(RecognitionError) -> ModelManifest {
        struct Given: Decodable {
            struct Anything: Decodable {}
            let file: String?
            let input: Anything?
        }
        let given: Given
        do { given = try JSONDecoder().decode(Given.self, from: data) } catch { throw unreadable(error) }
        let proposal = try propose(given.file)
        guard given.input != nil || proposal.isSureOfInput else {
            throw broken(
                .manifest,
                "manifest.json: \"\(key)\" is missing; \"menagerie models inspect \(folder)/\(proposal.manifest.file)\" "
                    + "proposes a manifest")
        }
        return try decode(data, with: proposal.manifest)
    }

    private func propose(_ file: String?) throws(RecognitionError) -> ManifestProposal {
        let files = ModelStore.modelFiles(in: folder)
        guard let file = file ?? (files.count == 1 ? files[0] : nil) else {
            throw broken(.files, "\(folder) has \(files.count) model files; manifest.json is to name one as \"file\"")
        }
        guard ModelManifest.isFileName(file) else {
            throw broken(
                .manifest, "manifest.json: \"file\" is to be a file name inside the model's folder, not \"\(file)\"")
        }
        do {
            return try inspection.inspect("\(folder)/\(file)", name, version, ticket)
        } catch {
            if case .engine(let reason) = error { throw broken(.network, reason) }
            throw error
        }
    }

    private func decode(_ data: Data, with inferred: ModelManifest) throws(RecognitionError) -> ModelManifest {
        let decoder = JSONDecoder()
        if let key = ModelManifest.inferredKey { decoder.userInfo[key] = inferred }
        do { return try decoder.decode(ModelManifest.self, from: data) } catch { throw unreadable(error) }
    }

    private func unreadable(_ error: any Error) -> RecognitionError {
        let reason =
            switch error {
            case DecodingError.keyNotFound(let key, let context):
                "\"\(Self.name(context.codingPath + [key]))\" is missing"
            case DecodingError.typeMismatch(_, let context) where !context.codingPath.isEmpty,
                DecodingError.valueNotFound(_, let context) where !context.codingPath.isEmpty:
                "\"\(Self.name(context.codingPath))\" has a value of the wrong kind"
            case DecodingError.dataCorrupted(let context) where !context.codingPath.isEmpty:
                "\"\(Self.name(context.codingPath))\" has a value that cannot be: \(context.debugDescription)"
            default: "it is not a JSON object in UTF-8"
            }
        return broken(.manifest, "\(path): \(reason)")
    }

    /// The dotted name of a key, such as `input.size`.
    private static func name(_ path: [any CodingKey]) -> String {
        path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }

    private func broken(_ fault: ModelFault, _ reason: String) -> RecognitionError {
        .brokenModel(name: name, fault: fault, reason: reason)
    }
}
