import Base
internal import Foundation

/// A person's changes to a scan.
package struct ScanUpdate: Hashable, Sendable {
    package enum Change: Hashable, Sendable {
        case keep
        case set(String)
        case clear

        func applied(to value: String?) -> String? {
            switch self {
            case .keep: value
            case .set(let new): new
            case .clear: nil
            }
        }
    }

    /// The longest note, in characters.
    package static let maximumNoteLength = 4_000
    /// The longest label, in UTF-8 bytes.
    package static let maximumLabelLength = 200

    package var note: Change
    package var correctedLabel: Change
    package var individual: Change

    package init(note: Change = .keep, correctedLabel: Change = .keep, individual: Change = .keep) {
        self.note = note
        self.correctedLabel = correctedLabel
        self.individual = if case .set(let name) = individual { .set(Self.spelling(of: name)) } else { individual }
    }

    /// One spelling of a name is one animal. Programs of Apple write “ä” as two characters, keyboards of phones add a
    /// space, and copied text has invisible characters, some of which turn the direction of writing.
    static func spelling(of name: String) -> String {
        let visible = name.unicodeScalars.filter {
            $0.isASCII || !CharacterSet.steering.contains($0) && !$0.properties.isNoncharacterCodePoint
        }
        return String(String.UnicodeScalarView(visible)).trimmingCharacters(in: .whitespaces)
            .precomposedStringWithCanonicalMapping
    }

    /// - Throws: ``HistoryError/invalid(field:problem:)`` for a text that is too long, or not fit for its field.
    package func validate() throws(HistoryError) {
        if case .set(let text) = note { try RowRules.text(text, atMost: Self.maximumNoteLength, "note") }
        if case .set(let label) = correctedLabel { try RowRules.label(label, "corrected_label") }
        if case .set(let name) = individual {
            guard Self.isLabel(name), !name.contains("/"), name.contains(where: { !$0.isWhitespace }) else {
                throw .invalid(
                    field: "individual",
                    problem: "a name has 1 to \(Self.maximumLabelLength) bytes without control characters and slashes, "
                        + "and not only spaces")
            }
        }
    }

    static let labelRule = "a label has 1 to \(maximumLabelLength) bytes without control characters"

    static func isLabel(_ label: String) -> Bool {
        (1...maximumLabelLength).contains(label.utf8.count) && label.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
