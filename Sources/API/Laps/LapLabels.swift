import Base
import Encyclopaedia
import Recognition

/// The labels that a lap timer can follow: the detector's first, each group sorted by name.
struct LapLabels: Encodable {
    struct Item: Encodable {
        let label: String
        let name: String
        /// `boxes`, which pass a line, or `classification` of the whole picture.
        let by: String
    }

    let items: [Item]
    let total: Int

    init(_ labels: FrameLabels, names: LabelNames) {
        func items(_ labels: Set<String>, by: String, from origin: LabelOrigin) -> [Item] {
            labels.map { Item(label: $0, name: names.name($0, from: origin), by: by) }
                .sorted { ($0.name.lowercased(), $0.label) < ($1.name.lowercased(), $1.label) }
        }
        self.items =
            items(labels.boxes, by: "boxes", from: .box)
            + items(labels.heads.subtracting(labels.boxes), by: "classification", from: .unknown)
        total = self.items.count
    }
}
