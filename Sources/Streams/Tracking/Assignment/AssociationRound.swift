/// The tracks and observations of a frame that have no partner yet.
struct AssociationRound {
    private let allTracks: [TrackedObject]
    private let allObservations: [Observation]
    /// The indices of the tracks and observations without a partner.
    private(set) var tracks: [Int]
    var observations: [Int]

    /// Leaves out boxes with no area and boxes with numbers that are not finite.
    init(observations: [Observation], tracks: [TrackedObject]) {
        allTracks = tracks
        allObservations = observations
        self.tracks = Array(tracks.indices)
        self.observations = observations.indices.filter {
            observations[$0].box.isValid && observations[$0].confidence.isFinite
        }
    }

    /// Pairs some of the tracks with some of the observations.
    ///
    /// - Parameters:
    ///   - limit: the cost that every pair must stay below.
    ///   - cost: the cost of a pair. Infinity forbids it.
    mutating func match(
        _ rows: [Int], _ columns: [Int], below limit: Double, cost: (TrackedObject, Observation) -> Double
    ) -> [(track: Int, observation: Int)] {
        guard !rows.isEmpty, !columns.isEmpty else { return [] }
        let costs = rows.map { row in columns.map { cost(allTracks[row], allObservations[$0]) } }
        let pairs = zip(rows, Assignment.solve(costs, below: limit)).compactMap { row, column in
            column.map { (track: row, observation: columns[$0]) }
        }
        let (matchedTracks, matchedSights) = (Set(pairs.map(\.track)), Set(pairs.map(\.observation)))
        tracks.removeAll(where: matchedTracks.contains)
        observations.removeAll(where: matchedSights.contains)
        return pairs
    }
}
