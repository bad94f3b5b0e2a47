// Numbers that people and programs write into queries, fields and settings. They have the syntax of JSON's numbers
// (RFC 8259 §6), so a number means the same in a query and in a body. Swift's own initialisers also read `0x10`, `+1`,
// `.5`, `inf` and `nan`.

extension Double {
    /// The finite number that the text states in JSON's syntax, such as `0.5` or `-1e-3`; nil for any other text.
    package init?(decimal text: some StringProtocol) {
        guard let number = JSONNumber(Array(text.utf8).span)?.value, number.isFinite else { return nil }
        self = number
    }
}

extension FixedWidthInteger {
    /// The whole number that the text states in digits, such as `20` or `-3`; nil for any other text, such as `2.0`
    /// and `020`.
    package init?(decimal text: some StringProtocol) {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard digits.count == 1 || digits.first != UInt8(ascii: "0"), digits.first != UInt8(ascii: "+") else {
            return nil
        }
        self.init(text)
    }
}
