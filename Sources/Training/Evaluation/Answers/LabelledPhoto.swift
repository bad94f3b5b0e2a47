package import Foundation

/// A photo with its known labels.
package struct LabelledPhoto: Sendable, Equatable {
    /// The path as in the list, relative to the list's folder.
    package let path: String
    /// The class, a name in snake_case.
    package let label: String
    /// cat, dog, animal, fruit or object. Nil if the list does not say.
    package var group: String?
    package var source: String?
    /// The right answers of heads, from columns named after a head.
    package var labels: [String: String] = [:]
}

/// A list of labelled photos: a CSV file with the columns `path` and `class`. Optional columns are `group`, `source`,
/// the names of heads, and others for filters.
package struct PhotoList: Sendable {
    /// Keeps the rows whose column has a value, such as `split=test`.
    package struct Filter: Sendable, Equatable {
        package let column: String
        package let value: String

        package init(column: String, value: String) {
            self.column = column
            self.value = value
        }

        /// Reads `column=value`. Nil if there is no `=` or no name before it.
        package init?(_ text: String) {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else { return nil }
            self.init(column: parts[0], value: parts[1])
        }
    }

    package let photos: [LabelledPhoto]
    /// The folder that paths are relative to.
    package let folder: URL

    package init(contentsOf file: URL, filters: [Filter] = []) throws(PhotoListError) {
        guard let data = try? Data(contentsOf: file) else { throw PhotoListError("\(file.path) cannot be read") }
        guard let text = String(bytes: data, encoding: .utf8) else {
            throw PhotoListError("\(file.path) is not a text in UTF-8")
        }
        try self.init(text: text, name: file.path, folder: file.deletingLastPathComponent(), filters: filters)
    }

    /// - Parameter name: the name of the list, for errors.
    package init(text: String, name: String, folder: URL, filters: [Filter] = []) throws(PhotoListError) {
        let table: CSVTable
        do {
            table = try CSVTable(text)
        } catch {
            throw PhotoListError("\(name), \(error)")
        }
        func column(_ column: String) throws(PhotoListError) -> Int {
            guard let index = table.index(of: column) else {
                throw PhotoListError(
                    "\(name) has no column \"\(column)\"; its columns are \(table.columns.joined(separator: ", "))")
            }
            return index
        }
        let path = try column("path")
        let label = try column("class")
        var wanted: [(index: Int, value: String)] = []
        for filter in filters { wanted.append((try column(filter.column), filter.value)) }
        let (group, source) = (table.index(of: "group"), table.index(of: "source"))
        let others = table.columns.indices.filter { ![path, label, group, source].contains($0) }

        var photos: [LabelledPhoto] = []
        for row in table.rows where wanted.allSatisfy({ row.fields[$0.index] == $0.value }) {
            guard !row.fields[path].isEmpty else {
                throw PhotoListError("\(name), line \(row.line): the field \"path\" is empty")
            }
            let labels = others.map { (table.columns[$0], row.fields[$0]) }.filter { !$0.1.isEmpty }
            photos.append(
                LabelledPhoto(
                    path: row.fields[path], label: row.fields[label], group: group.map { row.fields[$0] },
                    source: source.map { row.fields[$0] }, labels: Dictionary(uniqueKeysWithValues: labels)))
        }
        guard !photos.isEmpty else {
            let wanted = filters.map { "\($0.column)=\($0.value)" }.joined(separator: " and ")
            throw PhotoListError("\(name) lists no photos" + (filters.isEmpty ? "" : " with \(wanted)"))
        }
        self.photos = photos
        self.folder = folder
    }

    private init(photos: [LabelledPhoto], folder: URL) {
        self.photos = photos
        self.folder = folder
    }

    /// At most `count` photos, evenly spread over the list. They are the same every time.
    package func limited(to count: Int) -> PhotoList {
        guard count > 0, count < photos.count else { return self }
        return PhotoList(photos: (0..<count).map { photos[$0 * photos.count / count] }, folder: folder)
    }

    package func url(of photo: LabelledPhoto) -> URL {
        photo.path.hasPrefix("/") ? URL(filePath: photo.path) : folder.appending(path: photo.path)
    }
}

/// The reason why a list of photos cannot be used.
package struct PhotoListError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
