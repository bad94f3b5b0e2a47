/// Places inside, one for each photo from admission to answer. A pure value.
///
/// A model that has less than an eighth of them inside is let in even when the others have taken them all: a busy model
/// cannot lock the others out, and a single one still gets every place.
package struct Permits {
    package let limit: Int
    /// Places that every model can count on.
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

    /// - Parameter model: nil for one that is not loaded, which gets no place of its own.
    /// - Returns: whether there is a place; it has to be given back.
    package mutating func take(_ model: String?) -> Bool {
        guard hasRoom(model) else { return false }
        inside += 1
        if let model { byModel[model, default: 0] += 1 }
        return true
    }

    /// Gives a place back, with the name with which it was taken.
    package mutating func giveBack(_ model: String?) {
        inside -= 1
        guard let model else { return }
        let left = (byModel[model] ?? 1) - 1
        byModel[model] = left > 0 ? left : nil
    }
}
