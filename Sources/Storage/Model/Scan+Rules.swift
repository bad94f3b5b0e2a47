import Base

extension Scan {
    private static let longestMessage = 1_000
    /// The most labels in one answer.
    private static let mostLabels = 10_000
    /// The most heads, kinds of presence, and added heads.
    private static let mostHeads = 100
    private static let mostBoxes = 1_000
    /// The longest side of a picture, in pixels.
    private static let largestSide = 1_000_000

    /// Checks every field by ``RowRules``.
    /// - Throws: `invalid`, which names the field.
    func validate() throws(HistoryError) {
        try RowRules.time(id.date, "id")
        try RowRules.time(createdAt, "created_at")
        try RowRules.label(species, "species")
        try RowRules.label(head, "head")
        try Self.check(predictions, "predictions")
        try RowRules.count(heads.count, atMost: Self.mostHeads, "heads")
        for (head, predictions) in heads {
            try RowRules.label(head, "heads")
            try Self.check(predictions, "heads")
        }
        try RowRules.count(presence.count, atMost: Self.mostHeads, "presence")
        for (kind, share) in presence {
            try RowRules.label(kind, "presence")
            try RowRules.share(share, "presence")
        }
        try RowRules.text(message, atMost: Self.longestMessage, "message")
        try RowRules.label(model.name, "model.name")
        try RowRules.label(model.version, "model.version")
        try image.validate(largestSide: Self.largestSide)
        try timing.validate()
        try RowRules.count(boxes?.count ?? 0, atMost: Self.mostBoxes, "boxes")
        for box in boxes ?? [] {
            try RowRules.box(x: box.x, y: box.y, width: box.width, height: box.height, "boxes")
            try RowRules.label(box.label, "boxes")
            try RowRules.share(box.confidence, "boxes")
            try Self.check(box.predictions ?? [], "boxes")
        }
        if let learnt { try Self.check(learnt) }
        try RowRules.count(photo?.byteCount ?? 0, atMost: .max, "photo.byte_count")
        let update = ScanUpdate(
            note: note.map(ScanUpdate.Change.set) ?? .keep,
            correctedLabel: correctedLabel.map(ScanUpdate.Change.set) ?? .keep,
            individual: individual.map(ScanUpdate.Change.set) ?? .keep)
        try update.validate()
    }

    private static func check(_ learnt: LearntAnswers) throws(HistoryError) {
        if let individual = learnt.individual {
            if let name = individual.name { try RowRules.label(name, "learnt") }
            try RowRules.share(individual.confidence, "learnt")
            try check(individual.candidates, "learnt")
        }
        try RowRules.count(learnt.added.count, atMost: mostHeads, "learnt")
        for head in learnt.added {
            try RowRules.label(head.name, "learnt")
            try RowRules.label(head.version, "learnt")
            try check(head.predictions, "learnt")
        }
    }

    private static func check(_ predictions: [Prediction], _ field: String) throws(HistoryError) {
        try RowRules.count(predictions.count, atMost: mostLabels, field)
        for prediction in predictions {
            try RowRules.label(prediction.label, field)
            try RowRules.share(Double(prediction.confidence), field)
        }
    }
}

extension ScanImage {
    fileprivate func validate(largestSide: Int) throws(HistoryError) {
        let sides = [width, height] + (original.map { [$0.width, $0.height] } ?? [])
        for side in sides { try RowRules.check(side, in: 1...largestSide, "image") }
        try RowRules.label(format, "image.format")
        try RowRules.check(orientation, in: 1...8, "image.orientation")
    }
}

extension Timing {
    fileprivate func validate() throws(HistoryError) {
        for time in [decode, queue, inference, secondStage ?? 0] { try RowRules.milliseconds(time, "timing") }
        try RowRules.count(batchSize, atMost: 1_000_000, "timing.batch_size")
    }
}
