import Foundation

/// Features of the processor that decide how networks are computed. A machine always has the same.
package enum Processor {
    /// The processor's speed class for networks.
    package enum Level: Equatable {
        /// The processor lacks instructions that the engine and the pixel loops are compiled for.
        case tooOld
        /// The processor computes in floating point, with these vector instructions.
        case floating(String)
        /// The processor computes in int8, with these vector instructions.
        case bytes(String)
    }

    package static let level = isX86 ? level(description: description) : .bytes("NEON")

    /// The processor's name. Nil if Linux does not tell it.
    package static let model = description.split(separator: "\n").first { $0.hasPrefix("model name") }
        .flatMap { $0.split(separator: ":", maxSplits: 1).last }.map { $0.trimmingCharacters(in: .whitespaces) }

    /// - Parameter description: the content of `/proc/cpuinfo`.
    static func level(description: String) -> Level {
        let flags = words("flags", of: description)
        guard flags.contains("sse4_2") else { return .tooOld }
        let vectors = flags.contains("avx512f") ? "AVX-512" : flags.contains("avx2") ? "AVX2" : "SSE4.2"
        guard sumsBytesExactly(description: description) else { return .floating(vectors) }
        return .bytes(vectors + " VNNI" + (flags.contains("amx_int8") ? " and AMX" : ""))
    }

    /// Whether products of bytes are summed without loss.
    ///
    /// x86-64 without VNNI has only `vpmaddubsw` for them, which saturates the sum of two products at 16 bits. Networks
    /// whose weights use all eight bits then fail far more often, without notice: a quarter of MobileNetV2's first
    /// labels over real photos changed. With weights of seven bits no sum reaches the limit.
    static let sumsBytesExactly = !isX86 || sumsBytesExactly(description: description)

    /// Whether 16-bit floating-point numbers are multiplied faster than 32-bit ones.
    ///
    /// OpenVINO uses bf16 wherever there is AVX-512 BF16. It is faster with AMX's tiles and on AMD's processors
    /// (MobileNetV2: 0.6 of the time of f32). On Intel's without tiles, MobileNetV2 and NanoDet take 1.5 times as long,
    /// and ViT-Tiny takes 1.6 times as long.
    static let gainsFromHalfPrecision = !isX86 || gainsFromHalfPrecision(description: description)

    /// - Parameter description: the content of `/proc/cpuinfo`.
    static func sumsBytesExactly(description: String) -> Bool {
        let flags = words("flags", of: description)
        return flags.contains("avx512_vnni") || flags.contains("avx_vnni")
    }

    /// - Parameter description: the content of `/proc/cpuinfo`.
    static func gainsFromHalfPrecision(description: String) -> Bool {
        let flags = words("flags", of: description)
        return flags.contains("amx_bf16")
            || flags.contains("avx512_bf16") && words("vendor_id", of: description).contains("AuthenticAMD")
    }

    /// The words of the first line that begins with a key.
    private static func words(_ key: String, of description: String) -> [Substring] {
        let line = description.split(separator: "\n").first { $0.hasPrefix(key) } ?? ""
        return line.split(whereSeparator: \.isWhitespace)
    }

    private static let description = String(
        decoding: FileManager.default.contents(atPath: "/proc/cpuinfo") ?? Data(), as: UTF8.self)

    private static var isX86: Bool {
        #if arch(x86_64)
            true
        #else
            false
        #endif
    }
}
