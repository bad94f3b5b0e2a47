internal import Foundation

/// A null-terminated array of C strings, some of which may be null. The strings live as long as the array.
final class CStringArray {
    /// The form that libpq takes.
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
