/// The agreed parameters of permessage-deflate (RFC 7692 §7.1).
package struct WebSocketDeflate: Hashable, Sendable {
    /// The server forgets its window after each message.
    package var serverNoContextTakeover = false
    /// The client forgets its window after each message.
    package var clientNoContextTakeover = false
    /// The server's window, 9 to 15 bits. The response names it when the client asked for a bound.
    package var serverMaxWindowBits: Int?
    /// The client's window, 8 to 15 bits. The response names it when the client offered to be bound.
    package var clientMaxWindowBits: Int?

    /// The first acceptable offer in Sec-WebSocket-Extensions; nil if there is none.
    package static func negotiate(_ headers: HeaderFields) -> WebSocketDeflate? {
        for offer in WeightedList.elements(of: headers.values(for: "Sec-WebSocket-Extensions")) {
            let pieces = WeightedList.split(offer, at: UInt8(ascii: ";"))
            guard pieces[0].elementsEqual("permessage-deflate".utf8), let accepted = accept(pieces.dropFirst()) else {
                continue
            }
            return accepted
        }
        return nil
    }

    /// The value of the response's Sec-WebSocket-Extensions.
    package var description: String {
        var text = "permessage-deflate"
        if serverNoContextTakeover { text += "; server_no_context_takeover" }
        if clientNoContextTakeover { text += "; client_no_context_takeover" }
        if let serverMaxWindowBits { text += "; server_max_window_bits=\(serverMaxWindowBits)" }
        if let clientMaxWindowBits { text += "; client_max_window_bits=\(clientMaxWindowBits)" }
        return text
    }

    /// The agreed parameters; nil if the offer has a parameter that is unknown, repeated or malformed (§7.1), or that
    /// zlib cannot keep.
    private static func accept(_ parameters: ArraySlice<ArraySlice<UInt8>>) -> Self? {
        var accepted = WebSocketDeflate()
        var seen: Set<String> = []
        for parameter in parameters {
            let equals = parameter.firstIndex(of: UInt8(ascii: "="))
            let name = String(
                decoding: WeightedList.trimmed(parameter[..<(equals ?? parameter.endIndex)]), as: UTF8.self)
            let value = equals.map { WeightedList.unquoted(WeightedList.trimmed(parameter[($0 + 1)...])) }
            guard seen.insert(name).inserted else { return nil }
            switch (name, value) {
            case ("server_no_context_takeover", nil):
                accepted.serverNoContextTakeover = true
            case ("client_no_context_takeover", nil):
                accepted.clientNoContextTakeover = true
            case ("server_max_window_bits", let value?):
                // zlib makes no raw stream with a window of 256 bytes.
                guard let bits = windowBits(value), bits >= 9 else { return nil }
                accepted.serverMaxWindowBits = bits
            // The client may be bound, and this server asks for no bound.
            case ("client_max_window_bits", nil): break
            case ("client_max_window_bits", let value?):
                guard let bits = windowBits(value) else { return nil }
                accepted.clientMaxWindowBits = bits
            default:
                return nil
            }
        }
        return accepted
    }

    /// A decimal number from 8 to 15 without leading zeros.
    private static func windowBits(_ text: String) -> Int? {
        guard text.utf8.allSatisfy(ByteClass.isDigit), let bits = Int(text), (8...15).contains(bits),
            text.utf8.count == (bits < 10 ? 1 : 2)
        else { return nil }
        return bits
    }
}
