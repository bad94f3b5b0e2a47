import Base
import Foundation
import TestSupport
import Testing
@testable import Recognition

@Suite("Arithmetic of quantised networks", .slow) struct ProcessorTests {
    @Test(arguments: [
        ("flags\t\t: fpu avx2 avx512f avx512_vnni avx512_bf16", true), ("flags\t\t: fpu avx2 avx_vnni", true),
        ("flags\t\t: fpu avx2 fma", false), ("flags\t\t: fpu avx512f avx512_vnni2", false), ("", false),
    ])
    func `bytes are summed exactly with VNNI`(_ flags: String, isExact: Bool) {
        let description = "processor\t: 0\nmodel name\t: avx512_vnni\n\(flags)\nbugs\t\t: none\n"
        #expect(Processor.sumsBytesExactly(description: description) == isExact)
    }

    @Test(arguments: [
        ("fpu sse4_1", Processor.Level.tooOld), ("", .tooOld), ("fpu sse4_2", .floating("SSE4.2")),
        ("fpu sse4_2 avx2", .floating("AVX2")), ("fpu sse4_2 avx2 avx512f", .floating("AVX-512")),
        ("fpu sse4_2 avx2 avx_vnni", .bytes("AVX2 VNNI")),
        ("fpu sse4_2 avx2 avx512f avx512_vnni amx_int8", .bytes("AVX-512 VNNI and AMX")),
    ])
    func `the level follows from the processor's flags`(_ flags: String, level: Processor.Level) {
        #expect(Processor.level(description: "processor\t: 0\nflags\t\t: \(flags)\n") == level)
    }

    @Test(arguments: [
        ("GenuineIntel", "avx512_bf16 avx512_vnni", false), ("GenuineIntel", "avx512_bf16 amx_tile amx_bf16", true),
        ("AuthenticAMD", "avx512_bf16 avx512_vnni", true), ("AuthenticAMD", "avx2 fma", false),
    ])
    func `bf16 pays with AMX and on AMD's processors`(_ vendor: String, _ flags: String, pays: Bool) {
        let description = "processor\t: 0\nvendor_id\t: \(vendor)\nflags\t\t: fpu \(flags)\nbugs\t\t: none\n"
        #expect(Processor.gainsFromHalfPrecision(description: description) == pays)
    }

    /// `automatic` computes in int8 only if that loses nothing: photos get the same labels as in floating point, except
    /// close cases. Without VNNI, int8 changed a third of the labels.
    @Test(
        "Whatever the processor, the fastest arithmetic answers as the exact one",
        .enabled(if: TestModels.photosAreThere, TestModels.hint))
    func answersAlike() async throws {
        let photos = try OwnAgreementTests.expected().photos
        let both = [try await OwnAgreementTests.answers(.automatic), try await OwnAgreementTests.exact.value]
        let answers = both.map { answers in
            zip(photos, answers).flatMap { photo, answer in
                photo.heads.keys.sorted().compactMap { answer.answer(of: $0)?.first?.label }
            }
        }
        let same = zip(answers[0], answers[1]).count { $0 == $1 }
        print("\(same) of \(answers[0].count) first labels are the same in both arithmetics")
        #expect(answers[0].count == 800)
        #expect(same >= 646)
    }
}

/// These nodes decide whether a model is compiled for floating point.
@Suite("Quantised files") struct QuantisedFileTests {
    @Test(arguments: [
        ("x.onnx", "..DequantizeLinear..", true, false), ("x.onnx", "QuantizeLinear..DequantizeLinear", true, true),
        ("x.onnx", "..QLinearConv..", true, true), ("x.onnx", "..ConvInteger..", true, true),
        ("x.onnx", "..Conv..Relu..", false, false),
        ("x.xml", "<layer type=\"FakeQuantize\">", true, true), ("x.xml", "<layer type=\"Convolution\">", false, false),
        ("x.pb", "FakeQuantWithMinMaxVars", true, true), ("x.pb", "Conv2D", false, false),
        ("x.tflite", "Conv2D", true, true),
    ])
    func `are recognised by the operations that they name`(
        name: String, content: String, isQuantised: Bool, ofActivations: Bool
    ) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "quantised-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: name)
        try Data(content.utf8).write(to: file)
        #expect(ModelWeights.file(path: file.path).mayBeInt8 == (isQuantised, ofActivations))
    }
}
