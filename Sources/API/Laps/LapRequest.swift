import Foundation
import HTTP
import Streams

/// The body of `POST /laps`.
struct LapRequest {
    private static let keys = ["label", "model", "minimum_lap_s", "threshold", "line"]
    private static let example =
        #"{"label":"sports_car","minimum_lap_s":3,"threshold":0.1,"line":[[0.5,0],[0.5,1]]}"#

    let configuration: LapConfiguration
    let model: String?

    /// - Throws: `ProblemDetails` (400) that names the field.
    init(_ body: [UInt8]) throws {
        let members = try JSON.members(body.isEmpty ? Array("{}".utf8) : body, known: Self.keys, example: Self.example)
            .filter { !($0.value is NSNull) }
        func number(_ name: String, in range: ClosedRange<Double>, default standard: Double) throws -> Double {
            guard let value = members[name] else { return standard }
            guard let number = JSON.number(value), range.contains(number) else {
                throw ProblemDetails.invalidValue(
                    name, expected: "a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
        func text(_ name: String) throws -> String? {
            guard let value = members[name] else { return nil }
            guard let text = value as? String, (1...200).contains(text.utf8.count) else {
                throw ProblemDetails.invalidValue(name, expected: "a text of 1 to 200 bytes, or null")
            }
            return text
        }
        configuration = LapConfiguration(
            label: try text("label"), line: try members["line"].map(Self.line),
            minimumMilliseconds: try number("minimum_lap_s", in: 0.1...86_400, default: 3) * 1000,
            threshold: try number("threshold", in: 0...1, default: 0.1))
        model = try text("model")
    }

    /// Reads `{"line":[[x1,y1],[x2,y2]]}`, or `{"line":null}` for the middle.
    static func line(_ body: [UInt8]) throws -> LapConfiguration.Line? {
        let object = JSON.object(in: body)
        guard let object, object.count == 1, let value = object["line"], JSON.repeated(in: body) == nil else {
            throw ProblemDetails.malformedBody(#"The body has to be {"line":[[0.5,0],[0.5,1]]} or {"line":null}."#)
        }
        return value is NSNull ? nil : try line(value)
    }

    /// Reads `{"state":"start"}`, `{"state":"start","label":"car"}` or `{"state":"warm_up"}`, which ignores a label.
    static func state(_ body: [UInt8]) throws -> (state: LapState, label: String?) {
        let object = JSON.object(in: body)
        let state = (object?["state"] as? String).flatMap(LapState.init)
        let label = object?["label"] as? String
        guard let object, object.count == (label == nil ? 1 : 2), let state,
            state == .start || state == .warmUp, JSON.repeated(in: body) == nil
        else {
            throw ProblemDetails.malformedBody(
                #"The body has to be {"state":"start"}, {"state":"start","label":"car"} or {"state":"warm_up"}."#)
        }
        return (state, label)
    }

    private static func line(_ value: Any) throws -> LapConfiguration.Line {
        let points =
            (value as? [Any])?.compactMap { point in
                (point as? [NSNumber]).flatMap { $0.contains(where: \.isTruth) ? nil : $0.map(\.doubleValue) }
            } ?? []
        guard points.count == 2, (value as? [Any])?.count == 2, points.allSatisfy({ $0.count == 2 }),
            points.flatMap(\.self).allSatisfy((0...1).contains), points[0] != points[1]
        else {
            throw ProblemDetails.invalidValue(
                "line", expected: "two different points in fractions of the picture, such as [[0.5,0],[0.5,1]]")
        }
        return LapConfiguration.Line(
            from: .init(x: points[0][0], y: points[0][1]), to: .init(x: points[1][0], y: points[1][1]))
    }
}
