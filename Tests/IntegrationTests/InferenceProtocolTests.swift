import Base
import Foundation
import TestSupport
import Testing
@testable import Recognition

/// The Open Inference Protocol v2 on the live service. `Tests/Drivers/triton_client.py` tests the same with the real
/// client.
@Suite("Open Inference Protocol") struct InferenceProtocolTests {
    static let size = 192
    static let levels: [UInt8] = (0..<size * size * 3).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 / 576) }

    func request(binary: Bool, output: String = "presence", binaryOutput: Bool = false) -> (head: String, tail: [UInt8])
    {
        let shape = "[1, \(Self.size), \(Self.size), 3]"
        let data =
            binary
            ? #""parameters": {"binary_data_size": \#(Self.levels.count)}"#
            : "\"data\": \(Self.levels.map(Int.init))"
        let json = """
            {"id": "7", "inputs": [{"name": "image", "shape": \(shape), "datatype": "UINT8", \(data)}],
             "outputs": [{"name": "\(output)", "parameters": {"binary_data": \(binaryOutput)}}]}
            """
        return (json, binary ? Self.levels : [])
    }

    func infer(
        _ service: LiveService, _ request: (head: String, tail: [UInt8]), model: String = "menagerie"
    ) async throws -> RawResponse {
        let headers =
            request.tail.isEmpty ? [] : [("Inference-Header-Content-Length", "\(request.head.utf8.count)")]
        return try await service.request(
            "POST", "/v2/models/\(model)/infer", headers: headers, body: Array(request.head.utf8) + request.tail)
    }

    func values(_ answer: RawResponse) throws -> [Double] {
        let object = try answer.object()
        #expect(object["id"] as? String == "7" && object["model_name"] as? String == "menagerie")
        let output = try #require((object["outputs"] as? [[String: any Sendable]])?.first)
        #expect(output["datatype"] as? String == "FP32" && output["shape"] as? [Int] == [1, 3])
        return try #require(output["data"] as? [Double])
    }

    @Test func theServerAndItsModelsDescribeThemselves() async throws {
        try await withService { service in
            let server = try await service.request("GET", "/v2").object()
            #expect(server["name"] as? String == "menagerie")
            #expect(try await service.request("GET", "/v2/health/live").status == 200)
            #expect(try await service.request("GET", "/v2/health/ready").status == 200)
            let model = try await service.request("GET", "/v2/models/menagerie").object()
            let input = try #require((model["inputs"] as? [[String: any Sendable]])?.first)
            #expect(
                input["datatype"] as? String == "UINT8" && input["shape"] as? [Int] == [-1, Self.size, Self.size, 3])
            let outputs = (model["outputs"] as? [[String: any Sendable]])?.compactMap { $0["name"] as? String } ?? []
            #expect(outputs.contains("presence") && outputs.contains("cats"))
            #expect(try await service.request("GET", "/v2/models/menagerie/ready").status == 200)
            let version = try #require((model["versions"] as? [String])?.first)
            let versioned = "/v2/models/menagerie/versions/"
            #expect(try await service.request("GET", versioned + version + "/ready").status == 200)
            #expect(try await service.request("GET", versioned + "none/ready").status == 503)
            #expect(try await service.request("POST", "/v2/repository/index", body: []).text.contains("READY"))
        }
    }

    @Test func tensorsAsNumbersAndAsBytesGiveTheSameAnswer() async throws {
        try await withService { service in
            let numbers = try values(try await infer(service, request(binary: false)))
            let bytes = try values(try await infer(service, request(binary: true)))
            #expect(numbers.count == 3 && numbers == bytes)
            let answer = try await infer(service, request(binary: true, binaryOutput: true))
            let length = try #require(answer.headers["inference-header-content-length"].flatMap { Int($0) })
            let tail = Array(answer.body[length...])
            let floats = stride(from: 0, to: tail.count, by: 4).map { offset in
                Float(bitPattern: tail[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) })
            }
            #expect(floats == numbers.map(Float.init))
        }
    }

    /// The network's own input in NCHW: x/127.5 − 1, less a thousandth of a level. The first layers of the quantised
    /// network have steps of one level, and every level lies exactly between two steps. Pictures are always rounded
    /// down, so the small offset gives the same result.
    private static let floats: [Float] = (0..<3).flatMap { channel in
        (0..<size * size).map { Float(levels[$0 * 3 + channel]) / 127.5 - 1.00001 }
    }

    private func floatRequest(binary: Bool, shape: [Int] = [1, 3, size, size], values: [Float] = floats) -> (
        head: String, tail: [UInt8]
    ) {
        let data = binary ? #""parameters": {"binary_data_size": \#(values.count * 4)}"# : "\"data\": \(values)"
        let json = """
            {"id": "7", "inputs": [{"name": "image", "shape": \(shape), "datatype": "FP32", \(data)}],
             "outputs": [{"name": "presence"}]}
            """
        let bytes = values.flatMap { value in withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } }
        return (json, binary ? bytes : [])
    }

    @Test func aNetworkOfFloatingPointTakesItsOwnInput() async throws {
        try await withService { service in
            let levels = try values(try await infer(service, request(binary: true)))
            let bytes = try values(try await infer(service, floatRequest(binary: true)))
            let numbers = try values(try await infer(service, floatRequest(binary: false)))
            #expect(bytes == numbers)
            // Processors that cannot sum bytes exactly compute in floating point, which may round either way.
            let most = Processor.sumsBytesExactly ? 0.1 : 0.2
            for (level, float) in zip(levels, bytes) { #expect(abs(level - float) < most) }
            for wrong in [
                floatRequest(binary: true, shape: [1, Self.size, Self.size, 3]),
                floatRequest(binary: true, values: Array(Self.floats.dropLast())),
                floatRequest(binary: true, values: [.nan] + Self.floats.dropFirst()),
                floatRequest(binary: true, values: [-.infinity] + Self.floats.dropFirst()),
            ] {
                let answer = try await infer(service, wrong)
                #expect(try answer.status == 400 && answer.object()["error"] is String, "\(answer.text)")
            }
        }
    }

    @Test func configurationAndStatisticsHaveTritonsForm() async throws {
        try await withService { service in
            let config = try await service.request("GET", "/v2/models/menagerie/config").object()
            let input = try #require((config["input"] as? [[String: any Sendable]])?.first)
            #expect(
                input["data_type"] as? String == "TYPE_UINT8" && input["dims"] as? [Int] == [Self.size, Self.size, 3])
            #expect(config["name"] as? String == "menagerie" && config["max_batch_size"] as? Int == 256)
            let outputs = try #require(config["output"] as? [[String: any Sendable]])
            #expect(outputs.allSatisfy { $0["data_type"] as? String == "TYPE_FP32" } && outputs.count >= 6)

            func statistics(_ target: String) async throws -> [String: any Sendable] {
                let answer = try await service.request("GET", target).object()
                let models = try #require(answer["model_stats"] as? [[String: any Sendable]])
                return try #require(models.first { $0["name"] as? String == "menagerie" })
            }
            let before = try #require(try await statistics("/v2/models/menagerie/stats")["inference_count"] as? Int)
            _ = try await infer(service, request(binary: true))
            let version = try #require(try await statistics("/v2/models/stats")["version"] as? String)
            let after = try await statistics("/v2/models/menagerie/versions/\(version)/stats")
            #expect(try #require(after["inference_count"] as? Int) > before)
            #expect(try #require(after["last_inference"] as? Int) > 1_600_000_000_000)
            let inference = try #require(after["inference_stats"] as? [String: [String: Int]])
            #expect(
                Set(inference.keys) == [
                    "success", "fail", "queue", "compute_input", "compute_infer", "compute_output", "cache_hit",
                    "cache_miss",
                ])
            #expect(inference.values.allSatisfy { Set($0.keys) == ["count", "ns"] })
            #expect(try #require(inference["compute_infer"]?["ns"]) > 0)
            for target in ["/v2/models/unicorn/stats", "/v2/models/unicorn/config"] {
                let answer = try await service.request("GET", target)
                #expect(try answer.status == 404 && answer.object()["error"] is String)
            }
        }
    }

    @Test func aPhotoIsDecodedOnTheWay() async throws {
        let photo = try Data(contentsOf: LiveService.package.appending(path: "Tests/Photos/cat.jpg"))
        let json = """
            {"id": "7", "inputs": [{"name": "image", "shape": [1], "datatype": "BYTES",
             "data": ["\(photo.base64EncodedString())"]}], "outputs": [{"name": "presence"}]}
            """
        try await withService { service in
            let logits = try values(try await infer(service, (json, [])))
            let answer = try await service.classify([UInt8](photo)).object()
            let presence = try #require(answer["presence"] as? [String: any Sendable])
            let confidences = ["cat", "dog", "other"].compactMap { presence[$0] as? Double }
            #expect(confidences.count == 3)
            #expect(logits.firstIndex(of: logits.max() ?? 0) == confidences.firstIndex(of: confidences.max() ?? 0))
        }
    }

    @Test func errorsHaveTheProtocolsForm() async throws {
        try await withService { service in
            for (answer, status) in [
                (try await infer(service, request(binary: true), model: "unicorn"), 404),
                (try await infer(service, request(binary: true, output: "nothing")), 400),
                (try await infer(service, ("{", [])), 400),
                (try await infer(service, (request(binary: true).head, Array(Self.levels.dropLast()))), 400),
            ] {
                #expect(answer.status == status)
                #expect(try answer.object()["error"] is String)
            }
            for body in ["null", "[]", "5"] {
                let answer = try await infer(service, (body, []))
                #expect(answer.text == #"{"error":"the request is to be a JSON object with \"inputs\""}"#, "\(body)")
            }
        }
    }
}
