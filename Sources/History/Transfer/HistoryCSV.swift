internal import Base

/// Scans as lines of RFC 4180. The first line has the names of the columns.
enum HistoryCSV {
    static let header =
        "id,created_at,species,label,name,confidence,label_2,confidence_2,label_3,confidence_3,abstained,"
        + "corrected_label,note,head,model,model_version,width,height,format,sha256,photo_url,individual\r\n"

    /// - Parameter name: gives a label of a head its name.
    static func line(_ scan: Scan, name: (_ label: String, _ head: String) -> String) -> String {
        var fields = [scan.id.description, scan.createdAt.rfc3339, scan.species]
        for rank in 0..<3 {
            let prediction = scan.predictions.dropFirst(rank).first
            fields.append(prediction?.label ?? "")
            if rank == 0 { fields.append(prediction.map { name($0.label, scan.head) } ?? "") }
            fields.append(prediction.map { String($0.confidence) } ?? "")
        }
        fields += [String(scan.abstained), scan.correctedLabel ?? "", CSVText.harmless(scan.note ?? ""), scan.head]
        fields += [scan.model.name, scan.model.version, String(scan.image.width), String(scan.image.height)]
        fields += [scan.image.format, scan.image.sha256.description]
        fields.append(scan.photo.map { _ in "/history/\(scan.id)/photo" } ?? "")
        fields.append(CSVText.harmless(scan.individual ?? ""))
        return CSVText.line(fields)
    }
}
