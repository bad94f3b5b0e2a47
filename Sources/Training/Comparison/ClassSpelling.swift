/// How the classes of labelled photos are written: a folder `Maine Coon` is the class that a model calls `maine_coon`.
struct ClassSpelling: Sendable {
    private let classes: Set<String>
    /// By what is left without case and with one kind of gap; without those that two classes share.
    private let byKey: [String: String]

    init(_ classes: Set<String>) {
        self.classes = classes
        byKey = Dictionary(grouping: classes, by: Self.key).compactMapValues { $0.count == 1 ? $0[0] : nil }
    }

    /// A model's label as the photos have it; the label itself where none of their classes is meant.
    func own(_ label: String) -> String {
        classes.contains(label) ? label : byKey[Self.key(label)] ?? label
    }

    private static func key(_ label: String) -> String {
        String(label.lowercased().map { $0 == " " || $0 == "-" ? "_" : $0 })
    }
}
