import FoundationEssentials

/// Reads one JSON array of numbers or of texts, nested or flat, as its bytes come. It keeps the elements and not the
/// text. It fails at the first element beyond the limit.
///
/// Numbers take one byte each if all are whole and 0 to 255, otherwise four.
package struct JSONElementReader: Sendable {
    /// The kinds of elements that an array may hold.
    package struct Kinds: OptionSet, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Whole numbers from 0 to 255.
        package static let levels = Kinds(rawValue: 1)
        package static let numbers = Kinds(rawValue: 3)
        /// Base64 (RFC 4648 §4).
        package static let texts = Kinds(rawValue: 4)
    }

    /// The elements, in the order of the text.
    package enum Elements: Sendable, Equatable {
        case none
        /// Whole numbers from 0 to 255.
        case levels([UInt8])
        case numbers([Float])
        /// The decoded base64 texts.
        case texts([[UInt8]])
    }

    /// The reason why reading fails.
    package enum Failure: Error, Hashable {
        /// The text is not a JSON array of the right elements.
        case malformed
        case tooMany(limit: Int)
        /// A number is not a whole number from 0 to 255, though only those are allowed.
        case notLevel
        /// A number is beyond the range of 32-bit floating-point numbers.
        case notFinite
        case notBase64
    }

    private enum State {
        case start, value, firstValue, next, number, text, escape
        /// Inside \uXXXX, after `digits` of its four digits.
        case code(UInt32, digits: Int)
        case end
    }

    /// The deepest nesting of arrays.
    private static let maximumDepth = 16
    /// The longest number, in bytes.
    private static let maximumNumber = 128

    private let kinds: Kinds
    private let limit: Int
    private var state = State.start
    private var depth = 0
    private var levels: [UInt8] = []
    private var numbers: [Float] = []
    private var texts: [[UInt8]] = []
    private var textBytes = 0
    /// The bytes of a number or a text that is not complete.
    private var token: [UInt8] = []

    /// - Parameters:
    ///   - kinds: the kinds of elements that are allowed.
    ///   - limit: the largest number of elements.
    package init(_ kinds: Kinds, limit: Int) {
        self.kinds = kinds
        self.limit = limit
    }

    package var elements: Elements {
        if !texts.isEmpty { return .texts(texts) }
        if !numbers.isEmpty { return .numbers(numbers) }
        return levels.isEmpty ? .none : .levels(levels)
    }

    /// The memory that the elements hold, in bytes.
    package var heldBytes: Int { levels.count + numbers.count * 4 + textBytes + token.count }

    private var count: Int { levels.count + numbers.count + texts.count }

    /// Reads further bytes.
    ///
    /// - Parameter position: the index to begin at. Afterwards it is behind the last byte used.
    /// - Returns: whether the array has ended.
    package mutating func feed(_ bytes: Span<UInt8>, from position: inout Int) throws(Failure) -> Bool {
        while position < bytes.count {
            let byte = bytes[position]
            switch state {
            case .number:
                try readNumber(bytes, &position)
                continue
            case .text:
                try readText(bytes, &position)
                continue
            case .escape:
                try escape(byte)
            case .code(let code, let digits):
                guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { throw .malformed }
                let code = code << 4 | UInt32(digit)
                state = .code(code, digits: digits + 1)
                if digits == 3 {
                    guard code < 0x80 else { throw .notBase64 }
                    token.append(UInt8(code))
                    state = .text
                }
            case .end: return true
            case .start, .value, .firstValue, .next:
                if byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte) && byte != 0x0B && byte != 0x0C { break }
                let usesByte = try begin(byte)
                if case .end = state {
                    position += 1
                    return true
                }
                if !usesByte { continue }
            }
            position += 1
        }
        return false
    }

    /// Handles the first byte of a token.
    /// - Returns: false for a number, which the byte belongs to.
    private mutating func begin(_ byte: UInt8) throws(Failure) -> Bool {
        switch (byte, state) {
        case (UInt8(ascii: "["), .start), (UInt8(ascii: "["), .value), (UInt8(ascii: "["), .firstValue):
            depth += 1
            guard depth <= Self.maximumDepth else { throw .malformed }
            state = .firstValue
        case (UInt8(ascii: "]"), .firstValue), (UInt8(ascii: "]"), .next):
            depth -= 1
            state = depth == 0 ? .end : .next
        case (UInt8(ascii: ","), .next):
            state = .value
        case (UInt8(ascii: "\""), .value), (UInt8(ascii: "\""), .firstValue):
            guard kinds.contains(.texts), levels.isEmpty, numbers.isEmpty else { throw .malformed }
            try makeRoom()
            state = .text
        case (UInt8(ascii: "-"), .value), (UInt8(ascii: "-"), .firstValue), (0x30...0x39, .value),
            (0x30...0x39, .firstValue):
            guard kinds.contains(.levels), texts.isEmpty else { throw .malformed }
            try makeRoom()
            state = .number
            return false
        default: throw .malformed
        }
        return true
    }

    private func makeRoom() throws(Failure) {
        guard count < limit else { throw .tooMany(limit: limit) }
    }

    // MARK: Numbers

    private mutating func readNumber(_ bytes: Span<UInt8>, _ position: inout Int) throws(Failure) {
        let start = position
        while position < bytes.count, Self.isPartOfNumber(bytes[position]) { position += 1 }
        guard token.count + position - start <= Self.maximumNumber else { throw .malformed }
        if position < bytes.count, token.isEmpty {
            try append(JSONNumber(bytes.extracting(start..<position)))
        } else {
            for index in start..<position { token.append(bytes[index]) }
            guard position < bytes.count else { return }
            try append(JSONNumber(token.span))
            token.removeAll(keepingCapacity: true)
        }
        state = .next
    }

    private static func isPartOfNumber(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "+") || byte | 0x20 == UInt8(ascii: "e")
    }

    private mutating func append(_ number: JSONNumber?) throws(Failure) {
        guard let number else { throw .malformed }
        // −0 is no level.
        if numbers.isEmpty, number.value.sign == .plus, let level = UInt8(exactly: number.value) {
            levels.append(level)
            return
        }
        guard kinds.contains(.numbers) else { throw .notLevel }
        let value = Float(number.value)
        guard value.isFinite else { throw .notFinite }
        if !levels.isEmpty {
            numbers = levels.map(Float.init)
            levels = []
        }
        numbers.append(value)
    }

    // MARK: Texts

    private mutating func readText(_ bytes: Span<UInt8>, _ position: inout Int) throws(Failure) {
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let data = Data(base64Encoded: Data(token)) else { throw .notBase64 }
                texts.append([UInt8](data))
                textBytes += data.count
                token.removeAll(keepingCapacity: true)
                state = .next
                return
            case UInt8(ascii: "\\"):
                state = .escape
                return
            case 0..<0x20: throw .malformed
            default: token.append(byte)
            }
        }
    }

    /// Some writers escape characters of base64: `\/`, `\u002B`, `\u003D`.
    private mutating func escape(_ byte: UInt8) throws(Failure) {
        switch byte {
        case UInt8(ascii: "/"):
            token.append(byte)
            state = .text
        case UInt8(ascii: "u"): state = .code(0, digits: 0)
        default: throw .notBase64
        }
    }
}
