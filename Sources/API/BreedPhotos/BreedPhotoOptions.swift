package import Connections

/// The sources of a breed's photos.
package struct BreedPhotoOptions: Sendable {
    /// A folder with a subfolder of pictures for each article id; nil for none.
    package var directory: String?
    /// Whether the user's own scans of a breed are among its photos.
    package var includesOwnScans: Bool
    /// The online source; nil if the operator does not allow it.
    package var remote: DogCEO.Options?

    package init(directory: String? = nil, includesOwnScans: Bool = false, remote: DogCEO.Options? = nil) {
        self.directory = directory
        self.includesOwnScans = includesOwnScans
        self.remote = remote
    }
}
