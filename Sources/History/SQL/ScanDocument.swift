/// The JSON form of a scan, as its `Codable` conformance has it, written straight into bytes. `JSONEncoder` builds a tree
/// of objects first, which was a tenth of what saving adds to a request.
enum ScanDocument {
    /// Throws `invalid` for a number that JSON cannot hold.
    static func json(_ scan: Scan) throws(HistoryError) -> String {
        var json = JSONText()
        json.object { write(scan, to: &$0) }
        guard let text = json.text else {
            throw .invalid(field: "scan", problem: "it has no JSON form: one of its numbers is not finite")
        }
        return text
    }

    private static func write(_ scan: Scan, to json: inout JSONText) {
        write(scan.recognition, to: &json)
        json.put("created_at", scan.createdAt.rfc3339)
        json.put("label", scan.label)
        json.put("note", scan.note)
        json.put("corrected_label", scan.correctedLabel)
        guard let photo = scan.photo else { return }
        json.put("photo") { json in
            json.put("digest", photo.digest.hexadecimal)
            json.put("thumbnail_digest", photo.thumbnailDigest?.hexadecimal)
            json.put("bytes", photo.byteCount)
        }
    }

    private static func write(_ scan: NewScan, to json: inout JSONText) {
        json.put("id", scan.id.description)
        json.put("species", scan.species)
        json.put("head", scan.head)
        json.put("predictions", scan.predictions, write)
        json.put("heads") { json in
            for (name, predictions) in scan.heads { json.put(name, predictions, write) }
        }
        json.put("presence") { json in
            for (name, share) in scan.presence { json.put(name, share) }
        }
        json.put("abstained", scan.abstained)
        json.put("message", scan.message)
        json.put("model") { json in
            json.put("name", scan.model.name)
            json.put("version", scan.model.version)
        }
        json.put("image") { json in
            json.put("width", scan.image.width)
            json.put("height", scan.image.height)
            json.put("format", scan.image.format)
            json.put("orientation", scan.image.orientation)
            json.put("sha256", scan.image.sha256.hexadecimal)
        }
        json.put("timing") { json in
            json.put("decode_ms", scan.timing.decode)
            json.put("queue_ms", scan.timing.queue)
            json.put("inference_ms", scan.timing.inference)
            json.put("batch_size", scan.timing.batchSize)
        }
        if let boxes = scan.boxes { json.put("boxes", boxes, write) }
    }

    private static func write(_ prediction: Prediction, to json: inout JSONText) {
        json.put("label", prediction.label)
        json.put("confidence", prediction.confidence)
    }

    private static func write(_ box: Box, to json: inout JSONText) {
        json.put("x", box.x)
        json.put("y", box.y)
        json.put("width", box.width)
        json.put("height", box.height)
        json.put("label", box.label)
        json.put("confidence", box.confidence)
        if let predictions = box.predictions { json.put("predictions", predictions, write) }
    }
}

/// A JSON text (RFC 8259) in the making: members are put into the object that is open.
private struct JSONText {
    private var bytes: [UInt8] = []
    private var isValid = true

    init() {
        bytes.reserveCapacity(4_096)
    }

    /// Nil where a number was put that is infinite or none.
    var text: String? { isValid ? String(decoding: bytes, as: UTF8.self) : nil }

    mutating func object(_ members: (inout JSONText) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        members(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    mutating func put(_ name: String, _ members: (inout JSONText) -> Void) {
        begin(name)
        object(members)
    }

    /// A list of objects.
    mutating func put<Element>(_ name: String, _ elements: [Element], _ write: (Element, inout JSONText) -> Void) {
        begin(name)
        bytes.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            object { write(element, &$0) }
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Nothing for nil.
    mutating func put(_ name: String, _ value: String?) {
        guard let value else { return }
        begin(name)
        append(value)
    }

    mutating func put(_ name: String, _ value: Int) {
        begin(name)
        bytes += "\(value)".utf8
    }

    mutating func put(_ name: String, _ value: Double) {
        begin(name)
        isValid = isValid && value.isFinite
        bytes += "\(value)".utf8
    }

    mutating func put(_ name: String, _ value: Bool) {
        begin(name)
        bytes += (value ? "true" : "false").utf8
    }

    private mutating func begin(_ name: String) {
        if bytes.last != UInt8(ascii: "{") { bytes.append(UInt8(ascii: ",")) }
        append(name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// A string, with escapes for what may not stand in it: quotation mark, backslash, control characters (section 7).
    private mutating func append(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            if byte < 0x20 {
                bytes += "\\u00".utf8
                bytes += (byte < 0x10 ? "0" : "").utf8
                bytes += String(byte, radix: 16).utf8
            } else {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}
