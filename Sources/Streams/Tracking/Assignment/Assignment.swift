/// The cheapest pairing of rows with columns, by shortest augmenting paths: R. Jonker and A. Volgenant, "A shortest
/// augmenting path algorithm for dense and sparse linear assignment problems", Computing 38 (1987). The time is cubic
/// in the smaller side.
package enum Assignment {
    /// Finds the pairs with the least total cost. Every row or column may also stay single, at a cost of `limit` for a
    /// row and a column together. So no pair costs `limit` or more.
    ///
    /// - Parameters:
    ///   - costs: rows of equal length. NaN counts as too expensive.
    ///   - limit: the cost that every pair must stay below.
    /// - Returns: the column of each row. Nil for a row without a partner.
    package static func solve(_ costs: [[Double]], below limit: Double) -> [Int?] {
        guard let columns = costs.first?.count, columns > 0 else { return costs.map { _ in nil } }
        // A pair at the limit costs as much as staying single. The result drops such pairs.
        let bounded = costs.map { row in row.map { $0 < limit ? $0 : limit } }
        guard costs.count > columns else {
            return zip(pairs(bounded), costs).map { column, row in row[column] < limit ? column : nil }
        }
        let transposed = (0..<columns).map { column in bounded.map { $0[column] } }
        var result = [Int?](repeating: nil, count: costs.count)
        for (column, row) in pairs(transposed).enumerated() where costs[row][column] < limit { result[row] = column }
        return result
    }

    /// Finds a column for every row. There must be at least as many columns as rows.
    private static func pairs(_ costs: [[Double]]) -> [Int] {
        let (rows, columns) = (costs.count, costs[0].count)
        // The potentials of rows and columns, and the row of each column, counted from 1. Index 0 means no row.
        var rowPotential = [Double](repeating: 0, count: rows + 1)
        var columnPotential = [Double](repeating: 0, count: columns + 1)
        var owner = [Int](repeating: 0, count: columns + 1)
        var previous = [Int](repeating: 0, count: columns + 1)
        for row in 1...rows {
            owner[0] = row
            var column = 0
            var least = [Double](repeating: .infinity, count: columns + 1)
            var isDone = [Bool](repeating: false, count: columns + 1)
            repeat {
                isDone[column] = true
                let current = owner[column]
                var (step, next) = (Double.infinity, 0)
                for other in 1...columns where !isDone[other] {
                    let reduced = costs[current - 1][other - 1] - rowPotential[current] - columnPotential[other]
                    if reduced < least[other] {
                        least[other] = reduced
                        previous[other] = column
                    }
                    if least[other] < step { (step, next) = (least[other], other) }
                }
                for other in 0...columns {
                    if isDone[other] {
                        rowPotential[owner[other]] += step
                        columnPotential[other] -= step
                    } else {
                        least[other] -= step
                    }
                }
                column = next
            } while owner[column] != 0
            while column != 0 {
                owner[column] = owner[previous[column]]
                column = previous[column]
            }
        }
        var result = [Int](repeating: 0, count: rows)
        for column in 1...columns where owner[column] != 0 { result[owner[column] - 1] = column - 1 }
        return result
    }
}
