import FoundationEssentials

/// One value that is being encoded. Its form (object, list or plain value) shows when it asks for a container.
final class JSONValueEncoder: Encoder {
    private enum Form {
        case unknown, object, list, plain
    }

    let output: JSONOutput
    private let parent: JSONValueEncoder?
    private let key: (any CodingKey)?
    private var form = Form.unknown
    private(set) var count = 0
    /// The last nested container that was handed out. It may still be written to until the next member begins.
    private var nested: JSONValueEncoder?
    /// The beginnings of a dictionary's members, which come unsorted.
    private var members: [(key: String, start: Int)]?

    init(output: JSONOutput, parent: JSONValueEncoder?, key: (any CodingKey)?) {
        self.output = output
        self.parent = parent
        self.key = key
    }

    var codingPath: [any CodingKey] { (parent?.codingPath ?? []) + [key].compactMap(\.self) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if form == .unknown {
            form = .object
            output.put("{")
            if ObjectIdentifier(type) == DictionaryKeys.type { members = [] }
        }
        return KeyedEncodingContainer(JSONKeyedContainer(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if form == .unknown {
            form = .list
            output.put("[")
        }
        return JSONUnkeyedContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { JSONSingleValueContainer(encoder: self) }

    // MARK: Writing

    func begin(_ key: any CodingKey) {
        beginElement()
        let name = key.stringValue
        members?.append((name, output.bytes.count))
        output.putKey(name, isDictionaryKey: members != nil)
    }

    func beginElement() {
        finishNested()
        if count > 0 { output.put(",") }
        count += 1
    }

    /// Closes the objects and arrays that are still open. Call it once.
    func finish() {
        finishNested()
        switch form {
        case .object:
            if let members { output.sort(members) }
            output.put("}")
        case .list: output.put("]")
        case .unknown: output.put("{}")
        case .plain: break
        }
    }

    private func finishNested() {
        nested?.finish()
        nested = nil
    }

    /// Encodes the value of a member or element that was begun.
    func child<Value: Encodable>(_ value: Value, key: (any CodingKey)?) throws {
        if try writePlain(value, key: key) { return }
        let child = JSONValueEncoder(output: output, parent: self, key: key)
        try value.encode(to: child)
        child.finish()
    }

    /// Makes a container for a member or element that was begun.
    func nest(key: (any CodingKey)?) -> JSONValueEncoder {
        let child = JSONValueEncoder(output: output, parent: self, key: key)
        nested = child
        return child
    }

    func write<Value: Encodable>(_ value: Value) throws {
        if try writePlain(value, key: nil) { form = .plain } else { try value.encode(to: self) }
    }

    func write(_ text: String) {
        form = .plain
        output.put(text)
    }

    /// The types are compared, because a cast costs more than most of the writing.
    private func writePlain<Value: Encodable>(_ value: Value, key: (any CodingKey)?) throws -> Bool {
        switch ObjectIdentifier(Value.self) {
        case ObjectIdentifier(String.self): output.putString(unsafeBitCast(value, to: String.self))
        case ObjectIdentifier(Double.self): try put(unsafeBitCast(value, to: Double.self), key: key)
        case ObjectIdentifier(Float.self): try put(unsafeBitCast(value, to: Float.self), key: key)
        case ObjectIdentifier(Int.self): output.put("\(unsafeBitCast(value, to: Int.self))")
        case ObjectIdentifier(Bool.self): output.put(unsafeBitCast(value, to: Bool.self) ? "true" : "false")
        case ObjectIdentifier(Date.self): output.putString(output.date(unsafeBitCast(value, to: Date.self)))
        default: return false
        }
        return true
    }

    func put<Number: BinaryFloatingPoint & LosslessStringConvertible & Encodable>(
        _ number: Number, key: (any CodingKey)?
    ) throws {
        guard number.isFinite else {
            throw EncodingError.invalidValue(
                number,
                EncodingError.Context(
                    codingPath: codingPath + [key].compactMap(\.self),
                    debugDescription: "JSON has no numbers that are infinite or none"))
        }
        output.putNumber(number.description)
    }
}

/// The type of the keys with which dictionaries encode themselves. It has no public name, so a probe finds it.
private enum DictionaryKeys {
    static let type: ObjectIdentifier? = {
        let probe = Probe()
        try? ["": 0].encode(to: probe)
        return probe.type
    }()

    private final class Probe: Encoder {
        var type: ObjectIdentifier?
        private let sink = JSONValueEncoder(
            output: JSONOutput(usesSnakeCase: false) { _ in "" }, parent: nil, key: nil)

        var codingPath: [any CodingKey] { [] }
        var userInfo: [CodingUserInfoKey: Any] { [:] }

        func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
            self.type = ObjectIdentifier(type)
            return KeyedEncodingContainer(JSONKeyedContainer(encoder: sink))
        }

        func unkeyedContainer() -> any UnkeyedEncodingContainer { JSONUnkeyedContainer(encoder: sink) }
        func singleValueContainer() -> any SingleValueEncodingContainer { JSONSingleValueContainer(encoder: sink) }
    }
}
