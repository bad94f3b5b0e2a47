import Base
import Foundation

/// The needed parts of a message in `frigate/events`.
///
/// Source: https://docs.frigate.video/integrations/mqtt/
struct FrigateEvent: Equatable {
    let id: String
    let camera: String
    let label: String
    /// The score of the best snapshot so far, 0…1. Nil without a snapshot.
    let score: Double?

    private struct Message: Decodable {
        struct After: Decodable {
            struct Snapshot: Decodable {
                let score: Double?
            }
            let id: String
            let camera: String
            let label: String
            let false_positive: Bool?
            let has_snapshot: Bool?
            let snapshot: Snapshot?
            let top_score: Double?
        }
        let after: After
    }

    /// Nil if the message concerns no confirmed object with a valid id.
    ///
    /// - Throws: an error if the message has another format.
    static func read(_ payload: [UInt8]) throws -> FrigateEvent? {
        let after = try JSONDecoder().decode(Message.self, from: Data(payload)).after
        // The id becomes part of a path.
        let isPlain =
            (1...64).contains(after.id.utf8.count)
            && after.id.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-._".utf8.contains($0) }
            && !after.id.contains("..")
        guard isPlain, !(after.false_positive ?? false), after.has_snapshot ?? true else { return nil }
        return FrigateEvent(
            id: after.id, camera: after.camera, label: after.label, score: after.snapshot?.score ?? after.top_score)
    }
}
