import Foundation
import History

extension QueryReader {
    /// Reads the filter of scans: `label`, `species`, `from`, `to`, `corrected`, `named`, `individual`, `abstained`,
    /// and `q` for notes.
    mutating func historyFilter() throws -> HistoryQuery {
        var query = HistoryQuery()
        query.label = try text("label")
        query.species = try text("species")
        query.from = try time("from")
        query.to = try time("to")
        query.corrected = try optionalFlag("corrected")
        query.named = try optionalFlag("named")
        query.individual = try text("individual")
        query.abstained = try optionalFlag("abstained")
        query.text = try text("q")
        return query
    }
}
