/// Permits for photos, each held from admission to answer. A pure value.
///
/// A model that holds less than an eighth of them is admitted even if the others have taken all. So a busy model cannot
/// lock the others out, and a single model can still use every permit.
package struct Permits {
    package let limit: Int
    /// The number of permits that every model can count on.
    let reserve: Int
    package private(set) var inside = 0
    private var byModel: [String: Int] = [:]

    package init(limit: Int) {
        self.limit = max(1, limit)
        reserve = max(1, self.limit / 8)
    }

    /// Whether ``take(_:)`` would succeed.
    package func hasRoom(_ model: String?) -> Bool {
        let own = model.map { byModel[$0] ?? 0 }
        let isShort = own.map { $0 < reserve && $0 < inside } ?? false
        return inside < limit || isShort
    }

    /// - Parameter model: nil for a model that is not loaded, which has no share of its own.
    /// - Returns: whether a permit was taken. It must be given back.
    package mutating func take(_ model: String?) -> Bool {
        guard hasRoom(model) else { return false }
        inside += 1
        if let model { byModel[model, default: 0] += 1 }
        return true
    }

    /// Gives a permit back. The name must be the one with which it was taken.
    package mutating func giveBack(_ model: String?) {
        inside -= 1
        guard let model else { return }
        let left = (byModel[model] ?? 1) - 1
        byModel[model] = left > 0 ? left : nil
    }
}
