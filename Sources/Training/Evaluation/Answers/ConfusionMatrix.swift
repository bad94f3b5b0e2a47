import Base

/// The number of times that each class was answered as each class.
package struct ConfusionMatrix: Sendable, Equatable {
    /// Class names, in the order of rows and columns.
    package let labels: [String]
    /// Rows are true classes, columns are answers.
    private(set) var rows: [[Int]]
}

extension ConfusionMatrix {
    package init(labels: [String]) {
        let row = [Int](repeating: 0, count: labels.count)
        self.init(labels: labels, rows: Array(repeating: row, count: labels.count))
    }

    /// The number of photos of one class answered as another, by positions in the labels.
    package subscript(truth truth: Int, answer answer: Int) -> Int { rows[truth][answer] }

    /// Counts a photo of one class answered as another, by positions in the labels.
    package mutating func add(truth: Int, answer: Int) { rows[truth][answer] += 1 }

    /// The number of photos of a class.
    package func photos(of truth: Int) -> Int { rows[truth].reduce(0, +) }

    /// The number of photos answered as a class.
    package func answers(of answer: Int) -> Int { rows.reduce(0) { $0 + $1[answer] } }

    /// The share of photos answered as the class that are of it. 0 if there are none.
    package func precision(of label: Int) -> Double {
        Self.share(self[truth: label, answer: label], answers(of: label))
    }

    /// The share of photos of the class that were answered as it.
    package func recall(of label: Int) -> Double { Self.share(self[truth: label, answer: label], photos(of: label)) }

    /// The harmonic mean of precision and recall.
    package func f1(of label: Int) -> Double {
        let (precision, recall) = (precision(of: label), recall(of: label))
        return precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0
    }

    /// The mean of a measure over the classes that have photos.
    package func macro(_ measure: (Int) -> Double) -> Double {
        let present = labels.indices.filter { photos(of: $0) > 0 }
        return present.isEmpty ? 0 : present.reduce(0) { $0 + measure($1) } / Double(present.count)
    }

    /// The number of photos of one class that got the label of another.
    package struct Confusion: Codable, Sendable {
        package let truth: String
        package let answer: String
        package let photos: Int
    }

    /// The most frequent mistakes, most frequent first.
    package func confusions(_ count: Int) -> [Confusion] {
        var mistakes: [(truth: Int, answer: Int, photos: Int)] = []
        for truth in labels.indices {
            for answer in labels.indices where answer != truth && self[truth: truth, answer: answer] > 0 {
                mistakes.append((truth, answer, self[truth: truth, answer: answer]))
            }
        }
        mistakes.sort { ($1.photos, $0.truth, $0.answer) < ($0.photos, $1.truth, $1.answer) }
        return mistakes.prefix(count).map {
            Confusion(truth: labels[$0.truth], answer: labels[$0.answer], photos: $0.photos)
        }
    }

    /// CSV (RFC 4180): the true class first, then the number of answers for each class.
    package var csv: String {
        let lines = zip(labels, rows).map { label, row in [label] + row.map(String.init) }
        return ([["class"] + labels] + lines).map(CSVText.line).joined()
    }

    private static func share(_ part: Int, _ whole: Int) -> Double { whole > 0 ? Double(part) / Double(whole) : 0 }
}
