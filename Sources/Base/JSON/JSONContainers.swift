struct JSONKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: JSONValueEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil(forKey key: Key) throws {
        encoder.begin(key)
        encoder.output.put("null")
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        encoder.begin(key)
        try encoder.child(value, key: key)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder.begin(key)
        return encoder.nest(key: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.begin(key)
        return encoder.nest(key: key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { superEncoder(named: SuperKey()) }

    func superEncoder(forKey key: Key) -> any Encoder { superEncoder(named: key) }

    private func superEncoder(named key: any CodingKey) -> any Encoder {
        encoder.begin(key)
        return encoder.nest(key: key)
    }
}

/// The key that `superEncoder()` uses by its documentation.
private struct SuperKey: CodingKey {
    var stringValue: String { "super" }
    var intValue: Int? { nil }

    init() {}
    init?(stringValue: String) { nil }
    init?(intValue: Int) { nil }
}

struct JSONUnkeyedContainer: UnkeyedEncodingContainer {
    let encoder: JSONValueEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.count }

    func encodeNil() throws {
        encoder.beginElement()
        encoder.output.put("null")
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        encoder.beginElement()
        try encoder.child(value, key: nil)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder.beginElement()
        return encoder.nest(key: nil).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        encoder.beginElement()
        return encoder.nest(key: nil).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        encoder.beginElement()
        return encoder.nest(key: nil)
    }
}

struct JSONSingleValueContainer: SingleValueEncodingContainer {
    let encoder: JSONValueEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() throws { encoder.write("null") }
    func encode<Value: FixedWidthInteger & Encodable>(_ value: Value) throws { encoder.write("\(value)") }

    func encode<Value: Encodable>(_ value: Value) throws { try encoder.write(value) }
}
