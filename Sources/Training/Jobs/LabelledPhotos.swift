/// Photos with their classes, as a request brings them.
package enum LabelledPhotos: Sendable {
    /// An archive that came whole.
    case upload(TrainingUpload, ArchivePhotos.Kind)
    /// Photos that are here already.
    case source(TrainingRecord.Source)

    var source: TrainingRecord.Source {
        switch self {
        case .upload(_, let kind): .archive(kind)
        case .source(let source): source
        }
    }
}
