import Base
import Foundation
import HTTP
import Recognition

extension LoadedModel {
    /// The model in the form of Triton's model configuration extension.
    var configuration: [String: JSONValue] {
        let input = manifest.input
        var parameters: [String: JSONValue] = [:]
        if takesTensors {
            let shape = ([-1] + input.tensorShape).map(String.init).joined(separator: ",")
            parameters["fp32_input"] = .object(["string_value": .string("[\(shape)] \(input.layout) \(input.scale)")])
        }
        return [
            "name": .string(manifest.name), "platform": "openvino", "backend": "openvino",
            "version_policy": ["latest": ["num_versions": 1]],
            "max_batch_size": .integer(InferenceTensor.maximumCount),
            "input": [
                [
                    "name": .string(input.tensorName), "data_type": "TYPE_UINT8", "format": "FORMAT_NHWC",
                    "dims": [.integer(input.height), .integer(input.width), 3], "is_shape_tensor": false,
                    "allow_ragged_batch": false, "optional": false,
                ]
            ],
            "output": .array(
                outputs.map { output in
                    [
                        "name": .string(output.name), "data_type": "TYPE_FP32",
                        "dims": .array(output.shape.map(JSONValue.integer)), "label_filename": "",
                        "is_shape_tensor": false,
                    ]
                }),
            "batch_input": [], "batch_output": [],
            "instance_group": [
                [
                    "name": .string(manifest.name), "kind": "KIND_CPU", "count": 1, "gpus": [], "secondary_devices": [],
                    "profile": [], "passive": false, "host_policy": "",
                ]
            ],
            "default_model_filename": .string(manifest.file), "cc_model_filenames": [:], "metric_tags": [:],
            "parameters": .object(parameters), "model_warmup": [],
            "model_transaction_policy": ["decoupled": false],
        ]
    }

    /// The model's statistics in the form of Triton's extension. Requests are counted by their pictures.
    var statisticsInTheProtocol: [String: JSONValue] {
        let totals = statistics.totals
        func value(_ tally: InferenceStatistics.Tally) -> JSONValue {
            ["count": .integer(tally.count), "ns": .integer(tally.nanoseconds)]
        }
        let none = InferenceStatistics.Tally()
        return [
            "name": .string(manifest.name), "version": .string(manifest.version),
            "last_inference": .integer(totals.last.map { Int(clamping: $0.timeIntervalSince1970 * 1000) } ?? 0),
            "inference_count": .integer(totals.success.count), "execution_count": .integer(totals.inference.count),
            "inference_stats": [
                "success": value(totals.success), "fail": value(totals.failure), "queue": value(totals.queue),
                "compute_input": value(totals.input), "compute_infer": value(totals.inference),
                "compute_output": value(none), "cache_hit": value(none), "cache_miss": value(none),
            ],
            "response_stats": [:],
            "batch_stats": totals.inference.count == 0
                ? []
                : [
                    [
                        "batch_size": 1, "compute_input": value(none), "compute_infer": value(totals.inference),
                        "compute_output": value(none),
                    ]
                ],
            "memory_usage": [["type": "CPU", "id": 0, "byte_size": .integer(memory)]],
        ]
    }
}
