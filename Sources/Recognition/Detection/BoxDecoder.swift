import func Glibc.exp
import func Glibc.pow

/// A box in the network's coordinates.
struct NetworkBox: Sendable, Equatable {
    /// The edges in pixels of the network's input. They may lie beyond it.
    let left: Float
    let top: Float
    let right: Float
    let bottom: Float
    /// The index of the class.
    let label: Int
    let confidence: Float
    /// The score of every class, 0…1. Empty unless requested.
    var scores: [Float] = []
}

/// Reads boxes from a detector's output. `ModelManifest.Detection.Decoder` describes the layouts.
package struct BoxDecoder: Sendable {
    let decoder: ModelManifest.Detection.Decoder
    /// The columns and rows of cells for each stride.
    private let grids: [(stride: Int, columns: Int, rows: Int)]
    private let classes: Int
    private let width: Float
    private let height: Float
    /// The number of values in the output.
    let size: Int

    /// - Parameter boxes: the number of boxes, for layouts that do not derive it from strides and the size of the
    ///   input.
    package init(_ detection: ModelManifest.Detection, width: Int, height: Int, boxes: Int = 0) {
        decoder = detection.decoder
        classes = detection.labels.count
        grids = detection.strides.map { ($0, width / $0, height / $0) }
        self.width = Float(width)
        self.height = Float(height)
        let cells = grids.reduce(0) { $0 + $1.columns * $1.rows }
        size = (detection.decoder.hasCells ? cells : boxes) * (detection.decoder.offset + classes)
    }

    /// The output's shape without the batch dimension. Nil stands for the dimension with the classes and the values
    /// before them.
    ///
    /// - Parameter boxes: the number of boxes, for layouts that do not derive it from strides and the size of the
    ///   input.
    package static func shape(
        _ decoder: ModelManifest.Detection.Decoder, strides: [Int], width: Int, height: Int, boxes: Int = 0
    ) -> [Int?] {
        switch decoder {
        case .yolox: [strides.reduce(0) { $0 + (width / $1) * (height / $1) }, nil]
        case .fastestdet: [nil, height / strides[0], width / strides[0]]
        case .corners, .yolov5: [boxes, nil]
        case .yolov9: [nil, boxes]
        }
    }

    /// Reads one box, with its likeliest class, from each cell above the threshold, in the order of the cells.
    ///
    /// - Parameters:
    ///   - values: the output, ``size`` values.
    ///   - scored: whether each box carries the scores of all classes.
    func boxes(in values: [Float], from threshold: Float, scored: Bool = false) -> [NetworkBox] {
        guard values.count == size else { return [] }
        return values.withUnsafeBufferPointer {
            switch decoder {
            case .yolox: yolox($0, from: threshold, scored)
            case .fastestdet: fastestDet($0, from: threshold, scored)
            case .corners: corners($0, from: threshold, scored)
            case .yolov5: yolov5($0, from: threshold, scored)
            case .yolov9: yolov9($0, from: threshold, scored)
            }
        }
    }

    private func yolox(_ values: UnsafeBufferPointer<Float>, from threshold: Float, _ scored: Bool) -> [NetworkBox] {
        var boxes: [NetworkBox] = []
        let step = 5 + classes
        var offset = 0
        for (stride, columns, rows) in grids {
            let stride = Float(stride)
            for row in 0..<rows {
                for column in 0..<columns {
                    defer { offset += step }
                    let object = values[offset + 4]
                    // A class's probability is at most 1, so the product cannot reach the threshold.
                    guard object >= threshold else { continue }
                    let (label, share) = likeliest(values, from: offset + 5, stride: 1)
                    let confidence = object * share
                    guard confidence >= threshold else { continue }
                    boxes.append(
                        NetworkBox(
                            x: (values[offset] + Float(column)) * stride,
                            y: (values[offset + 1] + Float(row)) * stride,
                            width: Self.exponential(values[offset + 2]) * stride,
                            height: Self.exponential(values[offset + 3]) * stride,
                            label: label, confidence: min(confidence, 1),
                            scores: scored ? (0..<classes).map { object * values[offset + 5 + $0] } : []))
                }
            }
        }
        return boxes
    }

    private func fastestDet(
        _ values: UnsafeBufferPointer<Float>, from threshold: Float, _ scored: Bool
    ) -> [NetworkBox] {
        var boxes: [NetworkBox] = []
        let (stride, columns, rows) = grids[0]
        let plane = columns * rows
        let side = Float(stride)
        for cell in 0..<plane {
            let object = values[cell]
            // object^0.6 · class^0.4 is at most object^0.6.
            guard object > 0, Self.power(object, 0.6) >= threshold else { continue }
            let (label, share) = likeliest(values, from: cell + 5 * plane, stride: plane)
            let confidence = Self.power(object, 0.6) * Self.power(share, 0.4)
            guard confidence >= threshold else { continue }
            boxes.append(
                NetworkBox(
                    x: (Self.tanh(values[cell + plane]) + Float(cell % columns)) * side,
                    y: (Self.tanh(values[cell + 2 * plane]) + Float(cell / columns)) * side,
                    width: Self.logistic(values[cell + 3 * plane]) * width,
                    height: Self.logistic(values[cell + 4 * plane]) * height,
                    label: label, confidence: min(confidence, 1),
                    scores: scored
                        ? (0..<classes).map {
                            Self.power(object, 0.6) * Self.power(values[cell + (5 + $0) * plane], 0.4)
                        } : []))
        }
        return boxes
    }

    private func corners(_ values: UnsafeBufferPointer<Float>, from threshold: Float, _ scored: Bool) -> [NetworkBox] {
        stride(from: 0, to: values.count, by: 4 + classes).compactMap { offset in
            let (label, share) = likeliest(values, from: offset + 4, stride: 1)
            guard share >= threshold else { return nil }
            return NetworkBox(
                left: values[offset], top: values[offset + 1], right: values[offset + 2],
                bottom: values[offset + 3], label: label, confidence: min(share, 1),
                scores: scored ? Array(values[(offset + 4)..<(offset + 4 + classes)]) : [])
        }
    }

    private func yolov5(_ values: UnsafeBufferPointer<Float>, from threshold: Float, _ scored: Bool) -> [NetworkBox] {
        stride(from: 0, to: values.count, by: 5 + classes).compactMap { offset in
            let object = values[offset + 4]
            guard object >= threshold else { return nil }
            let (label, share) = likeliest(values, from: offset + 5, stride: 1)
            guard object * share >= threshold else { return nil }
            return NetworkBox(
                x: values[offset], y: values[offset + 1], width: values[offset + 2], height: values[offset + 3],
                label: label, confidence: min(object * share, 1),
                scores: scored ? (0..<classes).map { object * values[offset + 5 + $0] } : [])
        }
    }

    private func yolov9(_ values: UnsafeBufferPointer<Float>, from threshold: Float, _ scored: Bool) -> [NetworkBox] {
        let plane = values.count / (4 + classes)
        return (0..<plane).compactMap { box in
            let (label, share) = likeliest(values, from: box + 4 * plane, stride: plane)
            guard share >= threshold else { return nil }
            return NetworkBox(
                x: values[box], y: values[box + plane], width: values[box + 2 * plane],
                height: values[box + 3 * plane], label: label, confidence: min(share, 1),
                scores: scored ? (0..<classes).map { values[box + (4 + $0) * plane] } : [])
        }
    }

    private func likeliest(
        _ values: UnsafeBufferPointer<Float>, from start: Int, stride: Int
    ) -> (label: Int, share: Float) {
        var label = 0
        var share = values[start]
        for index in 1..<max(1, classes) where values[start + index * stride] > share {
            label = index
            share = values[start + index * stride]
        }
        return (label, share)
    }

    private static func exponential(_ value: Float) -> Float { Float(exp(Double(value))) }

    private static func logistic(_ value: Float) -> Float { 1 / (1 + exponential(-value)) }

    private static func tanh(_ value: Float) -> Float { 2 * logistic(2 * value) - 1 }

    /// 0 if the base is not positive.
    private static func power(_ base: Float, _ exponent: Double) -> Float {
        base > 0 ? Float(pow(Double(base), exponent)) : 0
    }
}

extension NetworkBox {
    package init(x: Float, y: Float, width: Float, height: Float, label: Int, confidence: Float, scores: [Float] = []) {
        self.init(
            left: x - width / 2, top: y - height / 2, right: x + width / 2, bottom: y + height / 2, label: label,
            confidence: confidence, scores: scores)
    }
}
