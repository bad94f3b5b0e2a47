import Base
import Foundation
import Imaging

/// The photos that a command line names: files, folders with their subfolders, objects of an S3-compatible store under
/// a prefix, and lists with one path a line.
enum PhotoPaths {
    private static let filmExtensions: Set<String> = ["mp4", "mov", "m4v", "avi", "mkv", "webm", "mpg", "mpeg", "flv"]

    /// - Parameters:
    ///   - names: paths of files and folders, and addresses such as `s3://bucket/prefix`.
    ///   - list: a file with one path or address a line, `-` for standard input, nil for no list.
    ///   - photoBytes: the size of the largest photo.
    ///   - withFilms: whether films in folders are taken as well. Films in a store are not.
    /// - Throws: if the list or the store cannot be read.
    static func all(
        in names: [String], list: String?, photoBytes: Int, withFilms: Bool = false
    ) async throws -> [String] {
        var paths: [String] = []
        for name in names {
            if let prefix = S3Address(name) {
                let objects = try await store(photoBytes: photoBytes, connections: 1).get().objects(under: prefix)
                paths += objects.map(\.description).filter(ImageFormat.isPhoto)
            } else {
                paths += files(name) { ImageFormat.isPhoto(named: $0) || withFilms && isFilm($0) }
            }
        }
        return try paths + (list.map(lines) ?? [])
    }

    /// The store for `s3://` addresses, configured by the environment.
    static func store(photoBytes: Int, connections: Int) -> Result<S3Store, S3Error> {
        Result { () throws(S3Error) in
            try S3Store(
                environment: ProcessInfo.processInfo.environment, limit: photoBytes,
                connections: connections)
        }
    }

    static func isFilm(_ name: String) -> Bool {
        filmExtensions.contains((name as NSString).pathExtension.lowercased())
    }

    private static func files(_ name: String, where isWanted: (String) -> Bool) -> [String] {
        guard FileSystem.isDirectory(name) else { return [name] }
        return files(below: name.hasSuffix("/") ? name : name + "/", where: isWanted).sorted()
    }

    /// The wanted files below a folder. A folder that cannot be read stands for its files, so that the run names it and
    /// counts it as a failure.
    private static func files(below folder: String, where isWanted: (String) -> Bool) -> [String] {
        let manager = FileManager.default
        if let names = try? manager.subpathsOfDirectory(atPath: folder) {
            return names.filter(isWanted).map { folder + $0 }
        }
        guard let names = try? manager.contentsOfDirectory(atPath: folder) else { return [folder] }
        return names.flatMap { name in
            // Links to folders are not followed.
            let type = try? manager.attributesOfItem(atPath: folder + name)[.type] as? FileAttributeType
            if type == .typeDirectory { return files(below: folder + name + "/", where: isWanted) }
            return isWanted(name) ? [folder + name] : []
        }
    }

    private static func lines(of list: String) throws -> [String] {
        let data: Data
        do {
            data = try list == "-" ? FileHandle.standardInput.readToEnd() ?? Data() : Data(ofFile: list)
        } catch {
            throw SettingsError("\(list): \(error)")
        }
        // Editors of Windows put a byte order mark first.
        let text = String(decoding: data.starts(with: "\u{FEFF}".utf8) ? data.dropFirst(3) : data, as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).map(String.init)
    }
}

/// One of several machines that share the photos. A photo's path decides which machine takes it, so the machines need
/// no communication.
struct PhotoShare: Equatable {
    /// The number of the machine, from 1.
    let number: Int
    let count: Int

    /// Reads `3/10`. Nil for any other form.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let number = parts[0], let count = parts[1], count >= 1, (1...count).contains(number)
        else { return nil }
        (self.number, self.count) = (number, count)
    }

    func contains(_ path: String) -> Bool {
        // FNV-1a gives the same hash on every machine.
        let hash = path.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return Int(hash % UInt64(count)) == number - 1
    }
}
