@testable import HTTP
import Testing

@Suite("UTF-8 validation")
struct UTF8ValidatorTests {
    static let valid: [[UInt8]] = [
        [], Array("κόσμε".utf8), Array("ascii text that is longer than eight bytes, ä€𝄞".utf8), [0x00], [0x7F],
        [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBF],
        [0xF0, 0x90, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF],
    ]
    /// Invalid texts, each with the index of the first invalid byte.
    static let invalid: [([UInt8], Int)] = [
        ([0x80], 0), ([0xBF], 0), ([0xC0], 0), ([0xC1, 0xBF], 0), ([0xF5], 0), ([0xFE], 0), ([0xFF], 0),
        ([0xC2, 0x41], 1), ([0xC2, 0xC2], 1), ([0xE0, 0x9F], 1), ([0xE0, 0x80], 1), ([0xED, 0xA0], 1),
        ([0xED, 0xBF], 1),
        ([0xE1, 0x80, 0xC0], 2), ([0xF0, 0x8F], 1), ([0xF4, 0x90], 1), ([0xF1, 0x80, 0x80, 0x41], 3),
        (Array("12345678".utf8) + [0xFF], 8), (Array("123456789012345".utf8) + [0xC2] + Array("12345678".utf8), 16),
    ]

    /// The number of valid pieces, and whether the text may end there.
    static func check(_ pieces: [[UInt8]]) -> (taken: Int, isAtBoundary: Bool) {
        var validator = UTF8Validator()
        var taken = 0
        for piece in pieces {
            guard validator.check(piece) else { break }
            taken += 1
        }
        return (taken, validator.isAtBoundary)
    }

    @Test("takes all of Unicode, at every split")
    func validText() {
        for bytes in Self.valid {
            for split in 0...bytes.count {
                #expect(Self.check([Array(bytes[..<split]), Array(bytes[split...])]) == (2, true))
            }
        }
    }

    @Test("fails at the first byte that cannot be right, at every split")
    func invalidText() {
        for (bytes, index) in Self.invalid {
            for split in 0...index {
                #expect(Self.check([Array(bytes[..<split]), Array(bytes[split...])]).taken == 1, "\(bytes) \(split)")
            }
            #expect(Self.check([Array(bytes[..<index]), [bytes[index]]]).taken == 1)
        }
    }

    @Test(
        "knows that a text ends within a character",
        arguments: [[0xC2], [0xE1], [0xE1, 0x80], [0xF1, 0x80, 0x80]] as [[UInt8]])
    func incomplete(bytes: [UInt8]) {
        #expect(Self.check([bytes]) == (1, false))
    }

    @Test("agrees with the standard library on all sequences of four bytes from the critical ones")
    func exhaustive() {
        let critical: [UInt8] = [
            0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
            0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        for a in critical {
            for b in critical {
                for c in critical {
                    for d in critical {
                        let bytes = [a, b, c, d]
                        var validator = UTF8Validator()
                        let isValid = validator.check(bytes) && validator.isAtBoundary
                        if isValid != (String(validating: bytes, as: UTF8.self) != nil) { Issue.record("\(bytes)") }
                    }
                }
            }
        }
    }
}
