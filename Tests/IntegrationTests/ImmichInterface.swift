import Base
import Foundation
import HTTP
import Testing

/// The operations of Immich that `menagerie immich` uses, condensed from Immich's OpenAPI documents 2.5.2 and 3.0.0.
///
/// If the two differ, the narrower one holds. For example, version 3 accepts only times that end in Z.
struct ImmichOperation: Sendable {
    enum Kind: Sendable {
        case text, identifier, time, flag
        case whole(ClosedRange<Int>)
        case word(Set<String>)
        indirect case list(Kind)
    }

    let method: HTTP.Method
    /// The path below `/api`.
    let path: String
    /// The status of a successful answer.
    let status: Int
    var query: [String: Kind] = [:]
    var requiredQuery: Set<String> = []
    /// Nil if the operation has no body.
    var body: [String: Kind]?
    var required: Set<String> = []
    /// The required members of an answer, or of each item of a list. Nil if the answer has no body.
    var answer: Set<String>? = []

    /// The deviations of a request from the document.
    func faults(_ request: Request, _ bytes: [UInt8]) -> [String] {
        var faults: [String] = []
        let items = request.query.items
        for (name, value) in items {
            guard let kind = query[name] else {
                faults.append("query \(name)")
                continue
            }
            let number = Int(value).map { $0 as Any }
            let flag = ["true", "false"].contains(value) ? true as Any : nil
            if !kind.allows(number ?? flag ?? value) { faults.append("query \(name)=\(value)") }
        }
        faults += requiredQuery.subtracting(items.map(\.name)).map { "no query \($0)" }
        guard let body else { return bytes.isEmpty ? faults : faults + ["a body"] }
        guard request.headers["Content-Type"] == "application/json",
            let object = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
        else { return faults + ["no JSON object"] }
        for (name, value) in object where body[name]?.allows(value) != true { faults.append("\(name): \(value)") }
        return faults + required.subtracting(object.keys).map { "no \($0)" }
    }

    /// The missing members of the fake server's answer.
    func lacks(_ answer: Any?) -> [String] {
        guard let wanted = self.answer else { return answer == nil ? [] : ["an answer that it has not"] }
        let items = (answer as? [[String: Any]]) ?? (answer as? [String: Any]).map { [$0] } ?? []
        return items.flatMap { wanted.subtracting($0.keys) }
    }
}

extension ImmichOperation.Kind {
    func allows(_ value: Any) -> Bool {
        switch self {
        case .text: value is String
        case .identifier: (value as? String).flatMap { UUID(uuidString: $0) } != nil
        case .time: (value as? String).map { $0.hasSuffix("Z") && Date(rfc3339: $0) != nil } ?? false
        case .flag: value is Bool
        case .whole(let range): (value as? Int).map(range.contains) ?? false
        case .word(let words): (value as? String).map(words.contains) ?? false
        case .list(let kind): (value as? [Any])?.allSatisfy(kind.allows) ?? false
        }
    }
}

extension ImmichOperation {
    private static let counts = Kind.whole(1...1000)
    private static let pages = Kind.whole(1...Int.max)
    private static let pixels = Kind.whole(Int.min...Int.max)
    private static let person: Set = ["birthDate", "id", "isHidden", "name", "thumbnailPath"]

    static let search = ImmichOperation(
        method: .post, path: "search/metadata", status: 200,
        body: [
            "page": pages, "size": counts, "type": .word(["IMAGE", "VIDEO", "AUDIO", "OTHER"]), "updatedAfter": .time,
        ], answer: ["albums", "assets"])
    static let thumbnail = ImmichOperation(
        method: .get, path: "assets/{id}/thumbnail", status: 200,
        query: ["size": .word(["fullsize", "preview", "thumbnail"])])
    static let people = ImmichOperation(
        method: .get, path: "people", status: 200, query: ["page": pages, "size": counts, "withHidden": .flag],
        answer: ["hidden", "people", "total"])
    static let makePerson = ImmichOperation(
        method: .post, path: "people", status: 201, body: ["name": .text], answer: person)
    static let faces = ImmichOperation(
        method: .get, path: "faces", status: 200, query: ["id": .identifier], requiredQuery: ["id"],
        answer: [
            "boundingBoxX1", "boundingBoxX2", "boundingBoxY1", "boundingBoxY2", "id", "imageHeight", "imageWidth",
            "person",
        ])
    private static let face: [String: Kind] = [
        "assetId": .identifier, "personId": .identifier, "imageWidth": pixels, "imageHeight": pixels, "x": pixels,
        "y": pixels, "width": pixels, "height": pixels,
    ]
    static let makeFace = ImmichOperation(
        method: .post, path: "faces", status: 201, body: face, required: Set(face.keys), answer: nil)
    static let makeTags = ImmichOperation(
        method: .put, path: "tags", status: 200, body: ["tags": .list(.text)], required: ["tags"],
        answer: ["createdAt", "id", "name", "updatedAt", "value"])
    static let tagAssets = ImmichOperation(
        method: .put, path: "tags/assets", status: 200,
        body: ["assetIds": .list(.identifier), "tagIds": .list(.identifier)], required: ["assetIds", "tagIds"],
        answer: ["count"])
}

@Suite struct ImmichInterfaceTests {
    @Test func whatTheDocumentDoesNotAllowIsAFault() throws {
        #expect(ImmichOperation.Kind.time.allows("2026-11-01T00:00:00.000Z"))
        #expect(!ImmichOperation.Kind.time.allows("2026-11-01T00:00:00+02:00"))
        #expect(!ImmichOperation.Kind.identifier.allows("misu") && !ImmichOperation.Kind.whole(1...9).allows(1.5))
        #expect(ImmichOperation.Kind.whole(1...9).allows(3) && !ImmichOperation.Kind.whole(1...9).allows("3"))
        #expect(!ImmichOperation.Kind.list(.text).allows([1]))
        #expect(
            ImmichOperation.makeTags.lacks([["id": "", "name": "", "value": ""]]).sorted() == [
                "createdAt", "updatedAt",
            ])
    }
}
