/// Appends protocol buffer fields to an array of bytes. Values that proto3 would leave out (0, empty) are written: ONNX
/// is proto2, where presence counts.
///
/// Source: https://protobuf.dev/programming-guides/encoding/
package struct ProtocolBufferWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    package mutating func reserve(_ byteCount: Int) { bytes.reserveCapacity(byteCount) }

    /// A negative number is in two's complement.
    package mutating func integer(_ value: Int, _ number: Int) {
        tag(number, wireType: 0)
        varint(UInt64(bitPattern: Int64(value)))
    }

    package mutating func float(_ value: Float, _ number: Int) {
        tag(number, wireType: 5)
        withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func fixed64(_ value: UInt64, _ number: Int) {
        tag(number, wireType: 1)
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    package mutating func string(_ value: String, _ number: Int) {
        header(number, byteCount: value.utf8.count)
        raw(value.utf8)
    }

    package mutating func data(_ value: [UInt8], _ number: Int) {
        header(number, byteCount: value.count)
        raw(value)
    }

    /// A repeated integer, packed.
    package mutating func integers(_ values: [Int], _ number: Int) {
        var packed = ProtocolBufferWriter()
        for value in values { packed.varint(UInt64(bitPattern: Int64(value))) }
        data(packed.bytes, number)
    }

    package mutating func message(_ number: Int, _ content: (inout ProtocolBufferWriter) -> Void) {
        var nested = ProtocolBufferWriter()
        content(&nested)
        data(nested.bytes, number)
    }

    /// Writes the tag and length of a field. The caller then writes its content of `byteCount` bytes.
    package mutating func header(_ number: Int, byteCount: Int) {
        tag(number, wireType: 2)
        varint(UInt64(byteCount))
    }

    package mutating func raw(_ content: some Collection<UInt8>) {
        bytes.append(contentsOf: content)
    }

    private mutating func tag(_ number: Int, wireType: UInt64) {
        varint(UInt64(number) << 3 | wireType)
    }

    private mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
