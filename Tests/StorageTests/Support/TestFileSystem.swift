import TestSupport

/// A small file system in a temporary folder.
struct TestFileSystem {
    let directory: TemporaryDirectory
    let disk: SmallFileSystem

    init(megabytes: Int) throws {
        directory = try TemporaryDirectory()
        disk = try SmallFileSystem(at: directory.path, megabytes: megabytes)
    }
}
