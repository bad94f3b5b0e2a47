package import Base
package import Foundation

/// The state of a job. A kind of work may have further states for its stages.
package protocol JobState: RawRepresentable<String>, CaseIterable, Equatable, Sendable {
    static var waiting: Self { get }
    static var done: Self { get }
    static var failed: Self { get }
    static var cancelled: Self { get }
}

extension JobState {
    /// Whether the job has ended, in whatever way.
    package var isOver: Bool { self == .done || self == .failed || self == .cancelled }

    /// The states of jobs that are over, as in their rows.
    static var over: [String] { allCases.filter(\.isOver).map(\.rawValue) }
}

/// The content of a job's row.
package protocol JobRecord: Codable, Sendable {
    associatedtype State: JobState
    associatedtype Progress: Equatable & Sendable

    /// The kind of work, such as `video`.
    static var kind: String { get }
    var id: ULID { get }
    var state: State { get set }
    /// The progress, which grows. If other processes read the row, a new value is in it after a second at the latest.
    var progressMark: Progress { get }

    /// Checks the values, because another process may have written the row, and a row may be damaged.
    ///
    /// - Throws: `HistoryError.invalid` if a value is impossible.
    func validate() throws(HistoryError)
}

extension JobRecord {
    /// Nil if the row is of another kind or of a later release, or has impossible values.
    package init?(_ row: JobRow) {
        guard row.kind == Self.kind, let record = Self(json: Data(row.document.utf8)) else { return nil }
        self = record
    }

    /// Nil if the document is not such a record or has impossible values.
    package init?(json: Data) {
        guard let record = try? JSONDecoder().decode(Self.self, from: json), (try? record.validate()) != nil else {
            return nil
        }
        self = record
    }

    /// The row, whose document is the record in JSON.
    package func row() throws -> JobRow {
        JobRow(
            id: id, kind: Self.kind, state: state.rawValue,
            document: String(decoding: try JSONEncoder().encode(self), as: UTF8.self))
    }
}
