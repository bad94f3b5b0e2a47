import Base
import Foundation
import Recognition

/// Makes the line of a photo: a JSON object.
struct AnswerLine: Sendable {
    let top: Int
    let language: Language

    private struct Answer: Encodable {
        let photo: String
        let message: String
        let species: String
        let head: String
        let abstained: Bool
        let predictions: [Prediction]
    }

    private struct Failure: Encodable {
        let photo: String
        let error: String
    }

    /// - Parameter result: the answer, or the reason why there is none.
    func json(_ photo: String, _ result: Result<Classification, any Error>) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        switch result {
        case .success(let answer):
            return Array(
                try encoder.encode(
                    Answer(
                        photo: photo, message: answer.message(in: language), species: answer.species,
                        head: answer.head, abstained: answer.abstained,
                        predictions: answer.predictions(top)))
            )
        case .failure(let error): return Array(try encoder.encode(Failure(photo: photo, error: "\(error)")))
        }
    }
}
