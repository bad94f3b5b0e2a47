import Foundation
import TestSupport
import Testing

/// Bodies for `POST /v2/models/{m}/infer` that announce more data than the model takes.
@Suite("Tensors of strangers") struct TensorAttackTests {
    private static let announced = 30 << 20

    /// Sends the beginning of a body of 30 MiB and waits for the answer.
    private func answer(to beginning: String, header: Int? = nil, then binary: [UInt8] = []) async throws -> RawResponse
    {
        let service = try await LiveService.shared.value
        let field = header.map { "Inference-Header-Content-Length: \($0)\r\n" } ?? ""
        let head =
            "POST /v2/models/menagerie/infer HTTP/1.1\r\nHost: localhost\r\n\(field)Content-Length: \(Self.announced)\r\n\r\n"
        return try await onThread {
            let client = try RawClient(port: service.port)
            try? client.send(Array((head + beginning).utf8) + binary)
            return try client.responses(1)[0]
        }
    }

    private func input(_ members: String) -> String { "{\"inputs\": [{\"name\": \"image\", \(members)" }

    @Test func oneNumberTooManyEndsIt() async throws {
        let numbers = String(repeating: "7,", count: 192 * 192 * 3 + 1)
        let answer = try await answer(
            to: input("\"shape\": [1, 192, 192, 3], \"datatype\": \"UINT8\", \"data\": [[" + numbers))
        #expect(answer.status == 400 && answer.text.contains("more than the 110592 elements"), "\(answer.text)")
    }

    @Test(arguments: [
        ("[1, 30000, 30000, 3]", "UINT8", "the shape is to be [-1, 192, 192, 3]"),
        ("[9223372036854775807, 192, 192, 3]", "UINT8", "1 to 256 pictures"),
        ("[-1, 192, 192, 3]", "UINT8", "1 to 256 pictures"), ("[1, 192, 192, 3]", "INT64", "the datatype is INT64"),
    ]) func aShapeThatCannotBeRightEndsItBeforeItsElements(shape: String, type: String, reason: String) async throws {
        let answer = try await answer(to: input("\"shape\": \(shape), \"datatype\": \"\(type)\", \"data\": [1,"))
        #expect(answer.status == 400 && answer.text.contains(reason), "\(answer.text)")
    }

    @Test func aNumberThatIsNoLevelEndsIt() async throws {
        let answer = try await answer(
            to: input("\"shape\": [1, 192, 192, 3], \"datatype\": \"UINT8\", \"data\": [0, 256,"))
        #expect(answer.status == 400 && answer.text.contains("0 to 255"), "\(answer.text)")
    }

    @Test func whatIsNoTensorIsBounded() async throws {
        for filler in [
            "\"shape\": [" + String(repeating: "1,", count: 200_000),
            "\"note\": \"" + String(repeating: "x", count: 400_000), String(repeating: " ", count: 400_000),
            "\"parameters\": " + String(repeating: "[", count: 400_000),
        ] {
            let answer = try await answer(to: input(filler))
            #expect(answer.status == 400, "\(answer.text)")
        }
    }

    /// The answer has all values of an output each time that it is named: a small request would make a huge answer.
    @Test func anOutputIsAnsweredOnce() async throws {
        let json = input(
            "\"shape\": [1], \"datatype\": \"BYTES\", \"parameters\": {\"binary_data_size\": 9}}], "
                + "\"outputs\": [{\"name\": \"cats\"}, {\"name\": \"dogs\"}, {\"name\": \"cats\"}]}")
        let answer = try await answer(to: json, header: json.utf8.count, then: [1])
        #expect(answer.status == 400 && answer.text.contains("twice"), "\(answer.text)")
    }

    @Test func bytesBehindTheTensorEndIt() async throws {
        let size = 192 * 192 * 3
        func json(_ size: Int) -> String {
            input(
                "\"shape\": [1, 192, 192, 3], \"datatype\": \"UINT8\", \"parameters\": {\"binary_data_size\": \(size)}}]}"
            )
        }
        let more = try await answer(
            to: json(size), header: json(size).utf8.count, then: [UInt8](repeating: 1, count: size + 1))
        #expect(more.status == 400 && more.text.contains("more bytes than that follow"), "\(more.text)")
        for wrong in [1 << 30, -1, Int.max] {
            let answer = try await answer(to: json(wrong), header: json(wrong).utf8.count, then: [1])
            #expect(answer.status == 400 && answer.text.contains("binary_data_size is \(wrong)"), "\(answer.text)")
        }
    }

    @Test(arguments: [false, true]) func elementsMayComeBeforeTheirShape(inParts: Bool) async throws {
        let service = try await LiveService.shared.value
        let levels = (0..<192 * 192 * 3).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let data = "\"data\": \(levels.map(Int.init))"
        let rest = "\"name\": \"image\", \"shape\": [1, 192, 192, 3], \"datatype\": \"UINT8\""
        var bodies = ["{\"inputs\": [{\(data), \(rest)}]}", "{\"inputs\": [{\(rest), \(data)}]}"]
            .map { Array($0.utf8) }
        if inParts { bodies.append(bodies[0]) }
        var answers: [String] = []
        for (number, body) in bodies.enumerated() {
            let isSplit = number == 2
            let head =
                "POST /v2/models/menagerie/infer HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + "Content-Length: \(body.count)\r\n\r\n"
            let answer = try await onThread {
                let client = try RawClient(port: service.port)
                try client.send(head)
                for start in stride(from: 0, to: body.count, by: isSplit ? 9973 : body.count) {
                    try client.send(Array(body[start..<min(body.count, start + (isSplit ? 9973 : body.count))]))
                }
                return try client.responses(1)[0]
            }
            #expect(answer.status == 200, "\(answer.text)")
            answers.append(answer.text)
        }
        #expect(Set(answers).count == 1)
    }
}
