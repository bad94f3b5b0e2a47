/// How large a model may be, told by its file before an engine reads it. Docs/security.md states these numbers.
///
/// A file that keeps them can still take all memory when it runs: that is what a trial is for.
package enum ModelBounds {
    /// Bytes of one file: where protocol buffers end.
    package static let fileBytes = Int(Int32.max)
    /// Operations of all graphs of a file together.
    package static let nodes = 20_000
    /// Graphs within graphs, and tags within tags.
    package static let depth = 32
    /// Elements of one tensor that the file declares.
    package static let elements = 1 << 29
    /// Dimensions of one tensor.
    package static let dimensions = 16
    /// Inputs and outputs of the network.
    package static let ports = 64
    /// Numbers that the network answers for one picture, all outputs together.
    package static let answers = 1 << 25
    /// Classes of one head.
    package static let classes = 100_000
    /// Bytes of a manifest, a list of labels, or another text beside the weights.
    package static let textBytes = 16 << 20

    /// What a file is read as.
    package enum Form: Sendable {
        case onnx, tensorFlow, tensorFlowLite, openVINO
    }

    /// Reads a file's structure, and no weight of it.
    ///
    /// - Throws: ``ModelBoundsError`` that names the bound, or says why the file cannot be read at all.
    package static func check(_ bytes: [UInt8], as form: Form) throws(ModelBoundsError) {
        guard bytes.count <= fileBytes else { throw .tooMany("bytes", bytes.count, most: fileBytes) }
        var count = GraphCount()
        do {
            switch form {
            case .onnx: try count.addONNX(bytes)
            case .tensorFlow: try count.addTensorFlow(bytes)
            case .tensorFlowLite: try count.addTensorFlowLite(bytes)
            case .openVINO: try count.addOpenVINO(bytes)
            }
        } catch let error as ModelBoundsError {
            throw error
        } catch {
            throw ModelBoundsError("the file cannot be read: \(error)")
        }
    }
}

/// Why a model is not even tried.
package struct ModelBoundsError: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }

    /// For a count that is beyond its bound.
    package static func tooMany(_ what: String, _ count: Int, most: Int) -> ModelBoundsError {
        ModelBoundsError("it has \(count) \(what); at most \(most) are served")
    }
}

/// What was counted of a file so far.
struct GraphCount {
    private var nodes = 0

    mutating func addNodes(_ count: Int) throws(ModelBoundsError) {
        nodes += count
        guard nodes <= ModelBounds.nodes else { throw .tooMany("operations", nodes, most: ModelBounds.nodes) }
    }

    /// - Parameter shape: less than 0 for a dimension that is free.
    func check(shape: [Int]) throws(ModelBoundsError) {
        guard shape.count <= ModelBounds.dimensions else {
            throw .tooMany("dimensions in one tensor", shape.count, most: ModelBounds.dimensions)
        }
        var elements = 1
        for side in shape where side > 1 {
            let (product, isTooMany) = elements.multipliedReportingOverflow(by: side)
            elements = isTooMany ? .max : product
            guard elements <= ModelBounds.elements else {
                throw ModelBoundsError(
                    "a tensor of it has the shape \(shape); at most \(ModelBounds.elements) elements are served")
            }
        }
    }
}
