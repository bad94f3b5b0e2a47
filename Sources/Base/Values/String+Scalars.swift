extension String {
    /// The text with another one in the place of a code point, also where a combining mark follows the code point. Swift
    /// takes both for one character, so `split`, `replacing` and `contains` do not find the code point there.
    package func replacing(scalar: Unicode.Scalar, with text: String) -> String {
        var result = ""
        for each in unicodeScalars {
            if each == scalar { result += text } else { result.unicodeScalars.append(each) }
        }
        return result
    }
}
