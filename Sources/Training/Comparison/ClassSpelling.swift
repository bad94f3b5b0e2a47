/// Matches the class names of labelled photos to a model's: the folder `Maine Coon` is the model's class `maine_coon`.
struct ClassSpelling: Sendable {
    private let classes: Set<String>
    /// The classes by a key without case and with one kind of gap. Keys that two classes share are left out.
    private let byKey: [String: String]

    init(_ classes: Set<String>) {
        self.classes = classes
        byKey = Dictionary(grouping: classes, by: Self.key).compactMapValues { $0.count == 1 ? $0[0] : nil }
    }

    /// The photos' name of a model's label. It is the label itself if the photos have no such class.
    func own(_ label: String) -> String {
        classes.contains(label) ? label : byKey[Self.key(label)] ?? label
    }

    private static func key(_ label: String) -> String {
        String(label.lowercased().map { $0 == " " || $0 == "-" ? "_" : $0 })
    }
}
