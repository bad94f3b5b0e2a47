/// The numbers under which tracks are shown. A detector that draws two boxes around one animal begins two tracks, and
/// may lose the first. The second goes by the first's number until both are shown at once. A pure value.
struct ShownNumbers: Sendable {
    /// The other number of each track that was hidden by another track of its animal before it was ever shown.
    private var borrowed: [Int: Int] = [:]
    private var shown: Set<Int> = []

    func number(of track: Int) -> Int { borrowed[track] ?? track }

    /// Decides about the tracks of one frame.
    ///
    /// - Parameters:
    ///   - tracks: the shown tracks.
    ///   - hidden: the hidden tracks, each with the shown one of the same animal.
    ///   - known: all tracks in sight and remembered. The others are forgotten.
    mutating func show(_ tracks: [Int], hiding hidden: [Int: Int], known: Set<Int>) {
        var taken = Set(tracks)
        for track in tracks {
            if let number = borrowed[track], !taken.insert(number).inserted { borrowed[track] = nil }
        }
        shown.formUnion(tracks)
        for (track, other) in hidden where !shown.contains(track) { borrowed[track] = number(of: other) }
        borrowed = borrowed.filter { known.contains($0.key) }
        shown.formIntersection(known)
    }
}
