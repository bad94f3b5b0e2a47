/// Why a model that was sent is not taken in, or one is not removed.
package enum ModelUploadError: Error, Sendable, Equatable {
    /// The service has no folder to keep models in.
    case off
    /// Too many are sent at a time.
    case busy
    /// A name that a file cannot have, or that came twice.
    case fileName(String)
    case tooManyFiles(limit: Int)
    /// In bytes.
    case tooLarge(String, limit: Int)
    /// None of these files is a model.
    case noModel([String])
    case name(String)
    case version(String)
    /// There is such a model.
    case exists(ModelReference)
    /// Trainings make the versions of this model.
    case trained(String)
    /// It was not sent here: the operator's folder has it.
    case notOurs(String)
}
