import Base

/// The photos of a source by class, and the files that belong to no class.
package struct PhotoCatalogue: Sendable {
    /// The longest label, in UTF-8 bytes, as for a correction in the history.
    package static let longestLabel = 200

    package private(set) var photos: [TrainingPhoto] = []
    package private(set) var skipped: [SkippedFile] = []
    let limits: TrainingLimits
    private var bytes = 0

    package init(limits: TrainingLimits) { self.limits = limits }

    /// Adds a file by its path. Its folder names the class. Files that systems and programs leave beside photos
    /// (`__MACOSX`, `.DS_Store`) are ignored.
    ///
    /// - Throws: ``TrainingError`` if the total exceeds a limit.
    package mutating func add(path: String, size: Int, place: Int) throws(TrainingError) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard let file = parts.last, !file.isEmpty, parts.first != "__MACOSX", !file.hasPrefix("."),
            !["thumbs.db", "desktop.ini"].contains(file.lowercased())
        else { return }
        guard !parts.contains(".."), parts.first != "" else { return skip(path, .outsideArchive) }
        let folders = parts.dropLast().filter { $0 != "." && !$0.isEmpty }
        guard let label = folders.last else { return skip(path, .noFolder) }
        try add(path: path, label: label, size: size, place: place)
    }

    /// Adds a file with a known class.
    package mutating func add(path: String, label: String, size: Int, place: Int) throws(TrainingError) {
        if let problem = Self.problem(ofLabel: label) { return skip(path, problem) }
        guard size <= limits.photoBytes else { return skip(path, .tooLarge(bytes: size, limit: limits.photoBytes)) }
        bytes += max(0, size)
        guard bytes <= limits.totalBytes else { throw .tooManyBytes(limit: limits.totalBytes) }
        photos.append(TrainingPhoto(path: path, label: label, place: place))
        guard photos.count <= limits.photos else { throw .tooManyPhotos(photos.count, limit: limits.photos) }
    }

    /// Records a skipped file, with at most 1,000 characters of its path.
    package mutating func skip(_ path: String, _ reason: SkipReason) {
        skipped.append(SkippedFile(file: String(path.prefix(1_000)), reason: reason))
    }

    /// The problem of a class name. Nil if there is none.
    static func problem(ofLabel label: String) -> SkipReason? {
        let count = label.utf8.count
        guard count <= longestLabel else { return .long(classNameBytes: count, limit: longestLabel) }
        guard count > 0, label != ".", label != "..", !label.contains("/") else { return .invalid(className: label) }
        return label.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ? nil : .controlCharacters
    }

    /// Throws if the photos do not suffice for a classifier.
    ///
    /// - Parameter labels: the classes of the remaining photos.
    static func check(_ labels: [String], skipped: [SkippedFile], limits: TrainingLimits) throws(TrainingError) {
        let counts = Dictionary(labels.map { ($0, 1) }, uniquingKeysWith: +)
        guard !counts.isEmpty else { throw .noPhotos(skipped: skipped) }
        guard counts.count <= limits.classes else { throw .tooManyClasses(counts.count, limit: limits.classes) }
        if counts.count == 1, let label = counts.keys.first { throw .oneClass(label, skipped: skipped) }
        let small = counts.filter { $0.value < 2 }.keys.sorted()
        guard small.isEmpty else { throw .smallClasses(small) }
    }

    /// Throws before any photo is read if the photos do not suffice for a classifier.
    package func check() throws(TrainingError) {
        try Self.check(photos.map(\.label), skipped: skipped, limits: limits)
    }
}

extension Array {
    /// The photos to keep, with their values. A photo in two classes is left out of both. Of repeated photos in one
    /// class, the first is kept.
    ///
    /// - Parameters:
    ///   - results: one for each photo.
    ///   - skipped: receives the other photos.
    func keeping<Value>(
        _ results: [Result<Value, SkipReason>], digest: (Value) -> ContentDigest, skipped: inout [SkippedFile]
    ) -> [(photo: TrainingPhoto, value: Value)] where Element == TrainingPhoto {
        var labels: [ContentDigest: Set<String>] = [:]
        for case (let photo, .success(let value)) in zip(self, results) {
            labels[digest(value), default: []].insert(photo.label)
        }
        var firsts: [ContentDigest: String] = [:]
        var kept: [(photo: TrainingPhoto, value: Value)] = []
        for (photo, result) in zip(self, results) {
            do throws(SkipReason) {
                let value = try result.get()
                let others = labels[digest(value), default: []].subtracting([photo.label])
                guard others.isEmpty else { throw .also(in: others.sorted()) }
                if let first = firsts[digest(value)] { throw .repeated(first) }
                firsts[digest(value)] = photo.path
                kept.append((photo, value))
            } catch {
                skipped.append(SkippedFile(file: photo.path, reason: error))
            }
        }
        return kept
    }
}

/// A photo with the class that its folder names.
package struct TrainingPhoto: Sendable, Equatable {
    /// The path as the sender knows it.
    package let path: String
    package let label: String
    /// The place of the photo within its source.
    let place: Int
}
