import Foundation
import Live

/// A session of the lap timer as the store keeps it.
struct LapDocument: Codable, Equatable, Sendable {
    let createdAt: Date
    var configuration: LapConfiguration
    let model: String?
    /// Of which the frames were; nil for a camera's.
    let video: String?
    var laps: [Lap]
    /// Numbers of the laps with a picture.
    var photos: Set<Int>
    var lastNumber: Int
}
