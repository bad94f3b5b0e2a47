import Base
internal import Foundation

/// A row of the table `scans`: the scan as JSON in `document`, beside the columns that queries need.
///
/// `note`, `corrected_label` and `individual` have columns of their own. These override the document, which only
/// `replacement` rewrites.
struct ScanRecord {
    static let columns = "document, note, corrected_label, individual, id, created_at"

    var scan: Scan

    init(_ scan: Scan) { self.scan = scan }

    /// Reads `columns`.
    /// - Throws: `damagedScan` for a row that cannot be read or breaks the rules. Another replica, a later release or
    ///   another program may have written it.
    init(row: [SQLValue]) throws(HistoryError) {
        let id = row.count > 4 ? row[4].text ?? "" : ""
        guard let document = row.first?.text else { throw .damagedScan(id: id, problem: "It has no document.") }
        do {
            scan = try JSONDecoder().decode(Scan.self, from: Data(document.utf8))
        } catch {
            throw .damagedScan(id: id, problem: "Its document is unreadable.")
        }
        scan.note = row[1].text
        scan.correctedLabel = row[2].text
        scan.individual = row[3].text
        do throws(HistoryError) {
            try scan.validate()
        } catch {
            throw .damagedScan(id: id, problem: error.description)
        }
    }

    /// The animal's name is set separately, because journal rows of earlier versions have no place for it.
    static let naming = "UPDATE scans SET individual = ? WHERE id = ?"

    static let insertion = """
        INSERT INTO scans (id, created_at, species, label, abstained, corrected_label, note, note_folded, digest, \
        photo_digest, photo_bytes, idempotency_key, document) \
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
        """

    /// Replaces the row with the same id and undeletes it. The idempotency key stays.
    static let replacement = """
        UPDATE scans SET created_at = ?, species = ?, label = ?, abstained = ?, corrected_label = ?, note = ?, \
        note_folded = ?, digest = ?, photo_digest = ?, photo_bytes = ?, document = ?, deletion = NULL WHERE id = ?
        """

    /// The values of `replacement`, taken from those of `insertion`.
    static func replacing(_ values: [SQLValue]) -> [SQLValue] {
        Array(values[1...10]) + [values[12], values[0]]
    }

    /// The values of `insertion`, taken from a row of the journal. Rows of release 1.0 also have the digest of a
    /// thumbnail, after that of the photo.
    static func inserting(journalled values: [SQLValue]) -> [SQLValue] {
        var values = values
        if values.count == 14 { values.remove(at: 10) }
        return values
    }

    /// The values of `insertion`.
    func values(idempotencyKey: String?) throws(HistoryError) -> [SQLValue] {
        let document: [UInt8]
        do {
            document = try JSONStreamEncoder().encode(scan)
        } catch {
            throw .invalid(field: "scan", problem: "it has no JSON form: \(error)")
        }
        return [
            .text(scan.id.description), .integer(scan.createdAt.milliseconds), .text(scan.species),
            .text(Self.label(scan.effectiveLabel)), Self.flag(scan.abstained && scan.correctedLabel == nil),
            SQLValue(scan.correctedLabel), SQLValue(scan.note), SQLValue(scan.note?.foldedForSearch),
            .text(scan.image.sha256.hexadecimal),
            SQLValue(scan.photo?.digest.hexadecimal), .integer(Int64(scan.photo?.byteCount ?? 0)),
            SQLValue(idempotencyKey),
            .text(String(decoding: document, as: UTF8.self)),
        ]
    }

    /// A scan without predictions has the empty label.
    static func label(_ label: String?) -> String { label ?? "" }

    static func flag(_ flag: Bool) -> SQLValue { .integer(flag ? 1 : 0) }
}

extension Cursor {
    /// The position of a row with the columns of `ScanRecord`, even if its scan is unreadable.
    init?(row: [SQLValue]) {
        guard row.count > 5, let id = row[4].text, let createdAt = row[5].integer else { return nil }
        self.init(HistoryQuery.listName, number: createdAt, id: id)
    }
}

extension String {
    /// The text in lower case, with each accented letter as one character (Unicode form NFC). Programs of Apple write
    /// “ä” as two. “ß” becomes “ss” and “ς” becomes “σ”, as their upper case has it.
    var foldedForSearch: String {
        lowercased().precomposedStringWithCanonicalMapping.replacing("ß", with: "ss").replacing("ς", with: "σ")
    }
}

extension ScanRecord {
    /// Migrates notes that an earlier release folded. It left “ß” and “ς” as they are.
    static let refolding = """
        UPDATE scans SET note_folded = replace(replace(note_folded, 'ß', 'ss'), 'ς', 'σ')
        WHERE note_folded LIKE '%ß%' OR note_folded LIKE '%ς%';
        """
}

/// Keys come from a request header: 1 to 255 visible ASCII characters or spaces.
func validateIdempotencyKey(_ key: String?) throws(HistoryError) {
    guard let key else { return }
    guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
        throw .invalid(field: "Idempotency-Key", problem: "it has 1 to 255 visible ASCII characters")
    }
}
