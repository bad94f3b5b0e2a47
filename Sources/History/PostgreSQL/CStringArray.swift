internal import Foundation

/// An array of C strings, some of which may be null, ended by a null, that lives as long as this does.
final class CStringArray {
    /// As libpq wants it.
    let pointers: UnsafeMutablePointer<UnsafePointer<CChar>?>
    private let count: Int

    init(_ strings: [String?]) {
        count = strings.count
        pointers = .allocate(capacity: strings.count + 1)
        for (index, string) in strings.enumerated() {
            (pointers + index).initialize(to: string.flatMap { strdup($0) }.map { UnsafePointer($0) })
        }
        (pointers + count).initialize(to: nil)
    }

    deinit {
        for index in 0..<count { free(UnsafeMutablePointer(mutating: pointers[index])) }
        pointers.deallocate()
    }
}
