internal import Foundation

/// Values in the form that libpq takes: integers and texts as C strings, bytes as they are. A null follows the last.
final class PostgreSQLParameters {
    let pointers: UnsafeMutablePointer<UnsafePointer<CChar>?>
    /// The lengths of bytes. Texts end at their zero.
    let lengths: [Int32]
    /// 1 for bytes, 0 for texts.
    let formats: [Int32]

    init(_ values: [SQLValue]) {
        lengths = values.map { Int32($0.bytes?.count ?? 0) }
        formats = values.map { $0.bytes == nil ? 0 : 1 }
        pointers = .allocate(capacity: values.count + 1)
        for (index, value) in values.enumerated() {
            (pointers + index).initialize(to: Self.copy(value))
        }
        (pointers + values.count).initialize(to: nil)
    }

    deinit {
        for index in formats.indices { free(UnsafeMutablePointer(mutating: pointers[index])) }
        pointers.deallocate()
    }

    private static func copy(_ value: SQLValue) -> UnsafePointer<CChar>? {
        switch value {
        case .null: return nil
        case .integer(let integer): return strdup(String(integer)).map { UnsafePointer($0) }
        case .text(let text): return strdup(text).map { UnsafePointer($0) }
        case .bytes(let bytes):
            // Empty bytes need a pointer, because a null pointer means NULL.
            guard let copy = malloc(max(1, bytes.count)) else { return nil }
            bytes.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(start: copy, count: bytes.count).copyMemory(from: bytes)
            }
            return UnsafePointer(copy.assumingMemoryBound(to: CChar.self))
        }
    }
}
