/// Tells whether an embedded ICC profile can be ignored.
enum ColourProfile {
    /// Whether the profile's description says sRGB (ICC.1:2022 §9.2.41 `desc`; ASCII in version 2, UTF-16 in version
    /// 4). The sRGB profiles of HP, Apple, Google, Facebook, Adobe and lcms do.
    static func isSRGB(_ profile: [UInt8]) -> Bool {
        guard profile.count >= 132, profile[16..<20].elementsEqual(Array("RGB ".utf8)) else { return false }
        func number(at offset: Int) -> Int { profile[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
        for tag in 0..<min(number(at: 128), 100) {
            let entry = 132 + tag * 12
            guard entry + 12 <= profile.count else { return false }
            guard profile[entry..<entry + 4].elementsEqual(Array("desc".utf8)) else { continue }
            let start = number(at: entry + 4)
            let end = start + min(number(at: entry + 8), 4096)
            guard start < end, end <= profile.count else { return false }
            let text = profile[start..<end].filter { $0 != 0 }
            let needle = Array("sRGB".utf8)
            return text.indices.dropLast(needle.count - 1).contains {
                text[$0..<$0 + needle.count].elementsEqual(needle)
            }
        }
        return false
    }
}
