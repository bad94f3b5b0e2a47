import Foundation
import HTTP
import Recognition
import Training

/// What a request says of a training, from its query, the fields of a form, or JSON.
struct TrainingParameters {
    /// The parameters that are known, beside the photos.
    static let names = [
        "name", "base", "validation", "iterations", "augment", "seed", "deploy", "method", "regularisation", "balance",
    ]

    private var values: [String: String] = [:]
    /// Where a wrong value stands, for the error.
    private let isQuery: Bool

    /// Reads the query; other parameters than ``names`` are refused.
    init(query request: Request) throws {
        isQuery = true
        var reader = QueryReader(request)
        for name in Self.names { values[name] = try reader.text(name) }
        try reader.finish()
    }

    /// - Parameters:
    ///   - fields: of a form or of JSON.
    ///   - others: names that mean something else.
    init(fields: [String: String], others: [String]) throws {
        isQuery = false
        let known = Self.names + others
        if let unknown = fields.keys.sorted().first(where: { !known.contains($0) }) {
            throw Problem(
                .malformedBody(
                    "“\(unknown.prefix(80))” is not known here. Known: \(known.sorted().joined(separator: ", "))."))
        }
        values = fields
    }

    func options() throws -> TrainingOptions {
        guard let name = values["name"], !name.isEmpty else {
            throw Problem(.malformedBody("“name” is missing: what the model is to be called, such as fruits."))
        }
        var options = TrainingOptions(name: name)
        options.base = values["base"].flatMap { $0.isEmpty ? nil : $0 }
        options.validation = try number("validation", in: TrainingOptions.validationRange) ?? options.validation
        options.regularisation =
            try number("regularisation", in: TrainingOptions.regularisationRange) ?? options.regularisation
        if let text = values["iterations"] {
            let range = TrainingOptions.iterationsRange
            guard let count = Int(text), range.contains(count) else {
                throw wrong("iterations", text, "a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            options.iterations = count
        }
        if let text = values["seed"] {
            guard let seed = UInt64(text) else { throw wrong("seed", text, "a whole number from 0 to \(UInt64.max)") }
            options.seed = seed
        }
        options.deploy = try flag("deploy") ?? options.deploy
        options.balance = try flag("balance") ?? options.balance
        if let text = values["method"] {
            guard let method = TrainingOptions.Method(rawValue: text) else {
                let words = TrainingOptions.Method.allCases.map(\.rawValue).joined(separator: ", ")
                throw wrong("method", text, "one of \(words)")
            }
            options.method = method
        }
        options.augment = try values["augment"].map(views)
        return options
    }

    private func views(_ text: String) throws -> [PictureView] {
        let words = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { $0 != "none" }
        return try words.map { word in
            guard let view = PictureView(rawValue: word), view != .plain else {
                throw wrong("augment", text, "none, or a list of mirror, blur, crop and colour")
            }
            return view
        }
    }

    private func number(_ name: String, in range: ClosedRange<Double>) throws -> Double? {
        guard let text = values[name] else { return nil }
        guard let value = Double(text), range.contains(value) else {
            throw wrong(name, text, "a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    private func flag(_ name: String) throws -> Bool? {
        switch values[name] {
        case nil: nil
        case "true", "1": true
        case "false", "0": false
        case let text?: throw wrong(name, text, "true or false")
        }
    }

    private func wrong(_ name: String, _ value: String, _ expected: String) -> Problem {
        guard !isQuery else { return Problem(.invalidParameter(name, value: value, expected: expected)) }
        return Problem(.malformedBody("“\(name)” is “\(value.prefix(80))”, but has to be \(expected)."))
    }
}
