import Base
import Encyclopaedia
import Foundation
import History
import Scans

/// Scans as lines of RFC 4180, with the name of each column in the first.
struct HistoryCSV {
    static let header =
        "id,created_at,species,label,name,confidence,label_2,confidence_2,label_3,confidence_3,abstained,"
        + "corrected_label,note,head,model,model_version,width,height,format,sha256,photo_url,individual\r\n"

    let names: LabelNames

    func line(_ scan: Scan) -> String {
        var fields = [scan.id.description, scan.createdAt.rfc3339, scan.species]
        for rank in 0..<3 {
            let prediction = scan.predictions.dropFirst(rank).first
            fields.append(prediction?.label ?? "")
            if rank == 0 { fields.append(prediction.map { names.name($0.label, from: .head(scan.head)) } ?? "") }
            fields.append(prediction.map { String($0.confidence) } ?? "")
        }
        fields += [String(scan.abstained), scan.correctedLabel ?? "", Self.harmless(scan.note ?? ""), scan.head]
        fields += [scan.model.name, scan.model.version, String(scan.image.width), String(scan.image.height)]
        fields += [scan.image.format, scan.image.sha256.description]
        fields.append(scan.photo.map { _ in "/history/\(scan.id)/photo" } ?? "")
        fields.append(Self.harmless(scan.individual ?? ""))
        return fields.map(Self.quoted).joined(separator: ",") + "\r\n"
    }

    /// A note that begins like a formula would be run by a spreadsheet: an apostrophe makes a text of it.
    static func harmless(_ text: String) -> String {
        guard let first = text.unicodeScalars.first, "=+-@\t\r".unicodeScalars.contains(first) else { return text }
        return "'" + text
    }

    static func quoted(_ field: String) -> String {
        guard field.utf8.contains(where: { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }) else { return field }
        return "\"" + field.replacing("\"", with: "\"\"") + "\""
    }
}
