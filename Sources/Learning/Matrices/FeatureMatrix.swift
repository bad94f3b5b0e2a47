/// Rows of features, one for each picture, row after row.
package struct FeatureMatrix: Sendable, Equatable {
    /// The number of features of a picture.
    package let columns: Int
    /// `rows` × `columns`, row-major.
    package private(set) var values: [Float] = []

    /// The number of pictures.
    package var rows: Int { columns == 0 ? 0 : values.count / columns }

    package init(columns: Int) { self.columns = columns }

    /// - Precondition: every row has as many values as the first.
    package init(_ rows: [[Float]]) {
        self.init(columns: rows.first?.count ?? 0)
        values.reserveCapacity(rows.count * columns)
        for row in rows { append(row) }
    }

    /// - Precondition: the row has ``columns`` values.
    package mutating func append(_ row: some Collection<Float>) {
        precondition(row.count == columns, "a row has \(columns) features")
        values.append(contentsOf: row)
    }

    package subscript(row: Int) -> ArraySlice<Float> { values[row * columns..<(row + 1) * columns] }
}
