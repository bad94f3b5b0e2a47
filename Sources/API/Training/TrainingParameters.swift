import Base
import Foundation
import HTTP
import Recognition
import Training

/// The parameters of a training or an evaluation, from the query and from the fields of its form or JSON. The body
/// takes precedence over the query.
struct TrainingParameters: Sendable {
    static let training = [
        "name", "base", "validation", "iterations", "augment", "seed", "deploy", "method", "regularisation", "balance",
    ]

    static let evaluation = ["model", "against", "head"]

    private let names: [String]
    private var values: [String: String] = [:]
    /// The parameters whose values come from the query, for errors.
    private var inQuery: Set<String> = []

    /// Reads the query, and refuses parameters with other names.
    init(query request: Request, names: [String]) throws {
        self.names = names
        var reader = QueryReader(request)
        for name in names { values[name] = try reader.text(name) }
        try reader.finish()
        inQuery = Set(values.keys)
    }

    /// Adds the parameters of the body.
    ///
    /// - Parameters:
    ///   - fields: the fields of a form or of JSON.
    ///   - others: names that have another meaning and are allowed.
    mutating func merge(_ fields: [String: String], others: [String] = []) throws {
        let known = names + others
        if let unknown = fields.keys.sorted().first(where: { !known.contains($0) }) {
            throw ProblemDetails.malformedBody(
                "“\(unknown.prefix(80))” is not known here. Known: \(known.sorted().joined(separator: ", ")).")
        }
        values.merge(fields) { $1 }
        inQuery.subtract(fields.keys)
    }

    func options() throws -> TrainingOptions {
        guard let name = values["name"], !name.isEmpty else {
            throw ProblemDetails.malformedBody("“name” is missing: what the model is to be called, such as fruits.")
        }
        var reader = QueryReader(
            QueryParameters(items: values.map { (name: $0.key, value: $0.value) }),
            refusal: { [self] in wrong($0, $1, $2) })
        var options = TrainingOptions(name: name)
        options.base = try model("base")?.description
        options.validation = try reader.number("validation", in: TrainingOptions.validationRange) ?? options.validation
        options.regularisation =
            try reader.number("regularisation", in: TrainingOptions.regularisationRange) ?? options.regularisation
        let range = TrainingOptions.iterationsRange
        options.iterations =
            try reader.value("iterations", "a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
                Self.whole(text).flatMap(Int.init(exactly:)).flatMap { range.contains($0) ? $0 : nil }
            } ?? options.iterations
        options.seed =
            try reader.value("seed", "a whole number from 0 to \(UInt64.max)", Self.whole) ?? options.seed
        options.deploy = try reader.flag("deploy", default: options.deploy)
        options.balance = try reader.flag("balance", default: options.balance)
        options.method = try reader.choice("method", of: TrainingOptions.Method.self) ?? options.method
        options.augment = try reader.value(
            "augment", "none, or a list of mirror, blur, crop and colour", Self.views)
        return options
    }

    /// The model that a parameter names; nil if it is absent.
    func model(_ name: String) throws -> ModelReference? {
        guard let text = values[name] else { return nil }
        guard let reference = try? ModelReference(text) else {
            throw wrong(name, text, "the name of a model, or name@version")
        }
        return reference
    }

    /// The evaluated head; nil chooses the one that knows most of the classes.
    var head: String? { values["head"] }

    private static func views(_ text: String) -> [PictureView]? {
        guard text != "none" else { return [] }
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        let views = words.compactMap { PictureView(rawValue: $0.trimmingCharacters(in: .whitespaces)) }
        return views.count == words.count && !views.contains(.plain) ? views : nil
    }

    /// JSON has no whole numbers, so 3.0 is accepted as one.
    private static func whole(_ text: String) -> UInt64? {
        UInt64(decimal: text) ?? Double(decimal: text).flatMap(UInt64.init(exactly:))
    }

    private func wrong(_ name: String, _ value: String, _ expected: String) -> ProblemDetails {
        inQuery.contains(name)
            ? .invalidParameter(name, value: value, expected: expected)
            : .malformedBody("“\(name)” is “\(value.prefix(80))”, but has to be \(expected).")
    }
}
