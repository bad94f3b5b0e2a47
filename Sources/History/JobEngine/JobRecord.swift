package import Base
package import Foundation

/// How far a job is. There may be more states than these, for the stages of the work.
package protocol JobState: RawRepresentable<String>, CaseIterable, Equatable, Sendable {
    static var waiting: Self { get }
    static var done: Self { get }
    static var failed: Self { get }
    static var cancelled: Self { get }
}

extension JobState {
    /// Whether no work will follow.
    package var isOver: Bool { self == .done || self == .failed || self == .cancelled }
}

/// A job as its row keeps it.
package protocol JobRecord: Codable, Sendable {
    associatedtype State: JobState
    associatedtype Progress: Equatable & Sendable

    /// What kind of work it is, such as `video`.
    static var kind: String { get }
    var id: ULID { get }
    var state: State { get set }
    /// How far it is. A new value goes to the row, a second later at the latest, where other processes read the row.
    var progressMark: Progress { get }

    /// - Throws: `HistoryError.invalid` for what no job says: a row may come from another process or be damaged.
    func validate() throws(HistoryError)
}

extension JobRecord {
    /// nil for a row of another kind or of a later release, or with values that no job has.
    package init?(_ row: JobRow) {
        guard row.kind == Self.kind, let record = Self(json: Data(row.document.utf8)) else { return nil }
        self = record
    }

    /// nil for a document with values that no job has.
    package init?(json: Data) {
        guard let record = try? JSONDecoder().decode(Self.self, from: json), (try? record.validate()) != nil else {
            return nil
        }
        self = record
    }

    /// The row with the record as its document, in JSON.
    package func row() throws -> JobRow {
        JobRow(
            id: id, kind: Self.kind, state: state.rawValue,
            document: String(decoding: try JSONEncoder().encode(self), as: UTF8.self))
    }
}
