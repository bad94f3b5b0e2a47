/// The tracks and observations of a frame that have no partner yet.
struct AssociationRound {
    private let allTracks: [Track]
    private let allObservations: [Observation]
    /// Indices of those that are left.
    private(set) var tracks: [Int]
    var observations: [Int]

    /// Boxes without extent or with numbers that are none are left out from the start.
    init(observations: [Observation], tracks: [Track]) {
        allTracks = tracks
        allObservations = observations
        self.tracks = Array(tracks.indices)
        self.observations = observations.indices.filter {
            observations[$0].box.isValid && observations[$0].confidence.isFinite
        }
    }

    /// Pairs some of the tracks with some of the observations, which are then no longer left.
    ///
    /// - Parameters:
    ///   - limit: what the cost of a pair must stay below.
    ///   - cost: of one pair; infinity for one that must not be.
    mutating func match(
        _ rows: [Int], _ columns: [Int], below limit: Double, cost: (Track, Observation) -> Double
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
