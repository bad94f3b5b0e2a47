import Base
import Recognition
import Storage

/// The reason why a training failed or was refused.
package struct TrainingFailure: Codable, Sendable, Hashable {
    /// A stable code for programs.
    package enum Code: String, Codable, Sendable, CaseIterable {
        case noPhotos = "no-photos"
        case oneClass = "one-class"
        case smallClasses = "small-classes"
        case tooManyClasses = "too-many-classes"
        case tooManyPhotos = "too-many-photos"
        case tooManyBytes = "too-many-bytes"
        case tooManyFeatures = "too-many-features"
        case invalidName = "invalid-name"
        case takenName = "taken-name"
        case noFeatures = "no-features"
        case unknownModel = "unknown-model"
        case brokenModel = "broken-model"
        case diskFull = "disk-full"
        case notWritable = "not-writable"
        case noFolder = "no-folder"
        case other
    }

    package let code: Code
    /// An English sentence.
    package let detail: String
    /// The number of photos, classes or files found.
    package let count: Int?
    /// The most photos, classes or bytes allowed.
    package let limit: Int?
    package let classes: [String]?
    package let model: String?

    private init(
        _ code: Code, _ error: some CustomStringConvertible, count: Int? = nil, limit: Int? = nil,
        classes: [String]? = nil, model: String? = nil
    ) {
        (self.code, detail, self.count, self.limit) = (code, error.description, count, limit)
        (self.classes, self.model) = (classes, model)
    }

    /// Versions without codes wrote only a sentence.
    package init(from decoder: any Decoder) throws {
        if let detail = try? decoder.singleValueContainer().decode(String.self) {
            self.init(.other, detail)
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try container.decode(Code.self, forKey: .code), try container.decode(String.self, forKey: .detail),
            count: try container.decodeIfPresent(Int.self, forKey: .count),
            limit: try container.decodeIfPresent(Int.self, forKey: .limit),
            classes: try container.decodeIfPresent([String].self, forKey: .classes),
            model: try container.decodeIfPresent(String.self, forKey: .model))
    }

    package init(_ error: any Error) {
        switch error {
        case let error as TrainingError: self.init(error)
        case let error as RecognitionError: self.init(error)
        case HistoryError.diskFull, FileError.diskFull: self.init(.diskFull, "\(error)")
        case HistoryError.readOnly, FileError.readOnly: self.init(.notWritable, "\(error)")
        default: self.init(.other, "\(error)")
        }
    }

    package init(_ error: TrainingError) {
        switch error {
        case .noPhotos(let skipped): self.init(.noPhotos, error, count: skipped.count)
        case .noScans: self.init(.noPhotos, error, count: 0)
        case .oneClass(let label, _): self.init(.oneClass, error, classes: [label])
        case .smallClasses(let labels): self.init(.smallClasses, error, classes: Array(labels.prefix(10)))
        case .tooManyClasses(let count, let limit): self.init(.tooManyClasses, error, count: count, limit: limit)
        case .tooManyPhotos(let count, let limit): self.init(.tooManyPhotos, error, count: count, limit: limit)
        case .tooManyBytes(let limit): self.init(.tooManyBytes, error, limit: limit)
        case .tooManyFeatures(let limit): self.init(.tooManyFeatures, error, limit: limit)
        case .invalidName(let name): self.init(.invalidName, error, model: String(name.prefix(80)))
        case .takenName(let name): self.init(.takenName, error, model: name)
        case .folder: self.init(.noFolder, error)
        case .unknown, .conflict, .queueFull, .unmeasurable: self.init(.other, error)
        }
    }

    private init(_ error: RecognitionError) {
        switch error {
        case .noFeatures(let name, _): self.init(.noFeatures, error, model: name)
        case .unknownModel(let name): self.init(.unknownModel, error, model: name)
        case .brokenModel(let name, _, _): self.init(.brokenModel, error, model: name)
        default: self.init(.other, error)
        }
    }
}
