import Foundation

extension [UInt8] {
    /// The JSON of a value. Equal values give equal bytes, so that an unchanged payload is recognised.
    init(json value: some Encodable, keys: JSONEncoder.KeyEncodingStrategy = .useDefaultKeys) {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = keys
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        self.init((try? encoder.encode(value)) ?? Data())
    }
}
