import Base
import Imaging

/// A file that was left out.
package struct SkippedFile: Sendable, Equatable {
    package let file: String
    package let reason: SkipReason
}

/// The members of the reason are beside the name: `{"file": …, "why": …, "code": …}`.
extension SkippedFile: Codable {
    private enum CodingKeys: CodingKey { case file }

    package init(from decoder: any Decoder) throws {
        file = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .file)
        reason = try SkipReason(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(file, forKey: .file)
        try reason.encode(to: encoder)
    }
}

/// The reason why a file was left out.
package struct SkipReason: Error, Codable, Sendable, Hashable {
    /// A stable code for programs.
    package enum Code: String, Codable, Sendable, CaseIterable {
        case outsideArchive = "outside-archive"
        case noFolder = "no-folder"
        case longClassName = "long-class-name"
        case invalidClassName = "invalid-class-name"
        case tooManyBytes = "too-many-bytes"
        case tooManyPixels = "too-many-pixels"
        case noPhoto = "no-photo"
        case damaged = "damaged"
        case unreadable = "unreadable"
        case photoGone = "photo-gone"
        case severalClasses = "several-classes"
        case repeated = "repeated"
        case onlyOne = "only-one"
        case onlyKind = "only-kind"
        case learntFrom = "learnt-from"
    }

    /// Nil in data of versions without codes.
    package let code: Code?
    /// An English clause.
    package let why: String
    /// The clause as the end of a sentence.
    var sentence: String { why.hasSuffix(".") ? why : why + "." }
    /// The size of the file, in bytes.
    package let count: Int?
    /// The most bytes allowed.
    package let limit: Int?
    /// The other classes that contain the photo.
    package let classes: [String]?
    /// The file that it repeats.
    package let sameAs: String?

    private enum CodingKeys: String, CodingKey {
        case code, why, count, limit, classes
        case sameAs = "same_as"
    }

    private init(
        _ code: Code, _ why: String, count: Int? = nil, limit: Int? = nil, classes: [String]? = nil,
        sameAs: String? = nil
    ) {
        (self.code, self.why, self.count, self.limit) = (code, why, count, limit)
        (self.classes, self.sameAs) = (classes, sameAs)
    }

    static let outsideArchive = SkipReason(.outsideArchive, "its path leads out of the archive")
    static let noFolder = SkipReason(.noFolder, "it is not in a folder, whose name would be its class")
    static let notKept = SkipReason(.photoGone, "its photo was not kept")
    static let gone = SkipReason(.photoGone, "its photo is gone")
    static let onlyOne = SkipReason(.onlyOne, "it is the only photo of its class")
    static let onlyKind = SkipReason(.onlyKind, "its correction says only which kind of animal it is")
    static let unreadable = SkipReason(.unreadable, "it cannot be read")
    static let controlCharacters = SkipReason(.invalidClassName, "the name of its class has control characters")

    static func invalid(className: String) -> SkipReason {
        SkipReason(.invalidClassName, "“\(className)” cannot be the name of a class", classes: [className])
    }

    /// - Parameters: all in UTF-8 bytes.
    static func long(classNameBytes: Int, limit: Int) -> SkipReason {
        SkipReason(
            .longClassName, "the name of its class has \(classNameBytes) bytes; at most \(limit) are taken",
            count: classNameBytes, limit: limit)
    }

    static func tooLarge(bytes: Int, limit: Int) -> SkipReason {
        SkipReason(.tooManyBytes, "it has \(bytes) bytes; at most \(limit) are taken", count: bytes, limit: limit)
    }

    static func also(in classes: [String]) -> SkipReason {
        SkipReason(
            .severalClasses,
            "the same photo is also in " + classes.map { "“\($0)”" }.joined(separator: ", "), classes: classes)
    }

    static func repeated(_ file: String) -> SkipReason {
        SkipReason(.repeated, "it is the same photo as \(file)", sameAs: file)
    }

    /// - Parameter model: NAME@VERSION.
    static func learntFrom(by model: String) -> SkipReason { SkipReason(.learntFrom, "\(model) learnt from it") }

    static func undecodable(_ error: ImagingError) -> SkipReason {
        switch error {
        case .empty, .notAnImage, .unsupportedFormat: SkipReason(.noPhoto, error.description)
        case .corrupt, .truncated: SkipReason(.damaged, error.description)
        case .tooManyPixels, .tooSlow: SkipReason(.tooManyPixels, error.description)
        case .tooManyBytes(let count, let limit):
            SkipReason(.tooManyBytes, error.description, count: count, limit: limit)
        case .encodingFailed: SkipReason(.unreadable, error.description)
        }
    }

    static func packed(_ error: ArchiveError) -> SkipReason {
        if case .tooLarge(_, let limit) = error {
            return SkipReason(.tooManyBytes, error.description, limit: limit)
        }
        return SkipReason(.unreadable, error.description)
    }
}
