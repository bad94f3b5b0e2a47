/// The reason why an uploaded model is refused, or why a model is not removed.
package enum ModelUploadError: Error, Sendable, Equatable {
    /// The service has no folder to keep models in.
    case off
    /// Too many uploads run at the same time.
    case busy
    /// The file name is invalid or was used twice.
    case fileName(String)
    case tooManyFiles(limit: Int)
    /// The files are too large, in bytes.
    case tooLarge(String, limit: Int)
    /// None of these files is a model.
    case noModel([String])
    case name(String)
    case version(String)
    /// The model exists already.
    case exists(ModelReference)
    /// Trainings make the versions of this model.
    case trained(String)
    /// The model was not uploaded. It is in the operator's folder.
    case notOurs(String)
}
