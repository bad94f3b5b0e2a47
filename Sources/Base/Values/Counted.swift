/// A number with its noun in English: `1 scan`, `2 scans`, `0 scans`.
///
/// - Parameters:
///   - singular: the word for one.
///   - plural: the word for any other number; nil adds an s to the singular.
package func counted(_ count: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(count) \(count == 1 ? singular : plural ?? singular + "s")"
}
