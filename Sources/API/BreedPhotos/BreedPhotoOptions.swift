package import Foundation

/// Where the photos of a breed may come from.
package struct BreedPhotoOptions: Sendable {
    /// Where dog.ceo is asked, and where its answers are kept.
    package struct Remote: Sendable {
        /// `https://dog.ceo/api`, or a mirror of it.
        package var url: URL
        /// Folder of the copies.
        package var cacheDirectory: String
        /// Of all copies together, in bytes.
        package var cacheBytes: Int
        /// In seconds, for one whole answer.
        package var timeout: Double

        package init(url: URL, cacheDirectory: String, cacheBytes: Int = 256 << 20, timeout: Double = 5) {
            self.url = url
            self.cacheDirectory = cacheDirectory
            self.cacheBytes = cacheBytes
            self.timeout = timeout
        }
    }

    /// A folder with one folder of pictures for each article id; nil for none.
    package var directory: String?
    /// Whether the user's own scans of a breed are among its photos.
    package var includesOwnScans: Bool
    /// Nil where the operator does not allow it.
    package var remote: Remote?

    package init(directory: String? = nil, includesOwnScans: Bool = false, remote: Remote? = nil) {
        self.directory = directory
        self.includesOwnScans = includesOwnScans
        self.remote = remote
    }
}
