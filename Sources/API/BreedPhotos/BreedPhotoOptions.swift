package import Foundation

/// The sources of a breed's photos.
package struct BreedPhotoOptions: Sendable {
    /// The address of dog.ceo and the place for copies of its answers.
    package struct Remote: Sendable {
        /// `https://dog.ceo/api`, or a mirror of it.
        package var url: URL
        /// The folder of the copies.
        package var cacheDirectory: String
        /// The largest sum of all copies, in bytes.
        package var cacheBytes: Int
        /// The time for one whole answer, in seconds.
        package var timeout: Double

        package init(url: URL, cacheDirectory: String, cacheBytes: Int = 256 << 20, timeout: Double = 5) {
            self.url = url
            self.cacheDirectory = cacheDirectory
            self.cacheBytes = cacheBytes
            self.timeout = timeout
        }
    }

    /// A folder with a subfolder of pictures for each article id; nil for none.
    package var directory: String?
    /// Whether the user's own scans of a breed are among its photos.
    package var includesOwnScans: Bool
    /// The online source; nil if the operator does not allow it.
    package var remote: Remote?

    package init(directory: String? = nil, includesOwnScans: Bool = false, remote: Remote? = nil) {
        self.directory = directory
        self.includesOwnScans = includesOwnScans
        self.remote = remote
    }
}
