/// A language that articles and answers are written in.
package enum Language: String, Sendable, Codable, CaseIterable {
    case english = "en"
    case finnish = "fi"
}
