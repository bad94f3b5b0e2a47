@testable import Encyclopaedia

/// The articles that come with the program, loaded once for all tests.
enum Bundled {
    static let encyclopaedia = Result { try Encyclopaedia.bundled() }
}
