package import Foundation

/// The rules for values from outside. They hold before a value is stored and before it is shown, alike for an import, a
/// backup, the rows of another replica and those of an earlier process.
package enum RowRules {
    /// The years that any time may have.
    package static let years = 1970..<2200
    private static let seconds = 0..<7_258_118_400.0
    /// The longest time of a stream or of a piece of work, in milliseconds: 31 years.
    package static let longest = 1e12

    /// Checks a probability or another share of a whole.
    package static func share(_ value: Double, _ field: String) throws(HistoryError) {
        try check(value, in: 0...1, field)
    }

    /// Checks a time within a stream, or the duration of work, in milliseconds.
    package static func milliseconds(_ value: Double, _ field: String) throws(HistoryError) {
        try check(value, in: 0...longest, field)
    }

    /// Throws for NaN, too.
    package static func check<Value: Comparable>(
        _ value: Value, in range: ClosedRange<Value>, _ field: String
    ) throws(HistoryError) {
        guard range.contains(value) else {
            throw .invalid(field: field, problem: "it is \(range.lowerBound) to \(range.upperBound)")
        }
    }

    package static func count(_ value: Int, atMost limit: Int, _ field: String) throws(HistoryError) {
        try check(value, in: 0...limit, field)
    }

    /// Checks a label of a model, or a name that replaces one.
    package static func label(_ label: String, _ field: String) throws(HistoryError) {
        guard ScanUpdate.isLabel(label) else { throw .invalid(field: field, problem: ScanUpdate.labelRule) }
    }

    /// Checks a text of one or more lines.
    package static func text(_ text: String, atMost limit: Int, _ field: String) throws(HistoryError) {
        guard text.count <= limit, !text.utf8.contains(0) else {
            throw .invalid(field: field, problem: "it has at most \(limit) characters, none of them NUL")
        }
    }

    package static func time(_ date: Date, _ field: String) throws(HistoryError) {
        guard seconds.contains(date.timeIntervalSince1970) else {
            throw .invalid(field: field, problem: "it lies in the years \(years.lowerBound) to \(years.upperBound - 1)")
        }
    }

    /// Checks a box, in fractions of the picture. A box may reach beyond the picture.
    package static func box(x: Double, y: Double, width: Double, height: Double, _ field: String) throws(HistoryError) {
        for place in [x, y] { try check(place, in: -1...2, field) }
        for extent in [width, height] { try check(extent, in: 0...2, field) }
    }
}
