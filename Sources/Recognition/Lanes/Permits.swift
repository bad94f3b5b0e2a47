/// Permits for photos, each held from admission to answer. A pure value.
///
/// A model that holds less than an eighth of them is admitted even if the others have taken all. So a busy model cannot
/// lock the others out, and a single model can still use every permit.
struct Permits {
    let limit: Int
    /// The number of permits that every model can count on.
    let reserve: Int
    private(set) var inside = 0
    private var byModel: [String: Int] = [:]
    private var rate = ServiceRate()

    init(limit: Int) {
        self.limit = max(1, limit)
        reserve = max(1, self.limit / 8)
    }

    /// - Parameter model: nil for a model that is not loaded, which has no share of its own.
    /// - Throws: `RecognitionError.overloaded(retryAfter:)` if ``take(_:)`` would throw it.
    func check(_ model: String?) throws(RecognitionError) {
        let own = model.map { byModel[$0] ?? 0 }
        let isShort = own.map { $0 < reserve && $0 < inside } ?? false
        guard inside < limit || isShort else { throw .overloaded(retryAfter: rate.drainTime(of: inside)) }
    }

    /// Takes a permit, which must be given back.
    ///
    /// - Throws: `RecognitionError.overloaded(retryAfter:)` if there is none for the model.
    mutating func take(_ model: String?) throws(RecognitionError) {
        try check(model)
        inside += 1
        if let model { byModel[model, default: 0] += 1 }
    }

    /// Gives a permit back.
    ///
    /// - Parameters:
    ///   - model: the name with which it was taken.
    ///   - isAnswered: whether it was for a photo, which then counts for the measured rate.
    mutating func giveBack(_ model: String?, isAnswered: Bool = true) {
        inside -= 1
        if isAnswered { rate.complete(now: .now, isBusy: inside > 0) }
        guard let model else { return }
        let left = (byModel[model] ?? 1) - 1
        byModel[model] = left > 0 ? left : nil
    }
}
