/// A language of articles and answers.
package enum Language: String, Sendable, Codable, CaseIterable {
    case english = "en"
    case finnish = "fi"
}
