/// Limits on the size of a model, checked in its file before an engine reads it. Docs/security.md states these numbers.
///
/// A file within the limits can still use up the memory when it runs. A trial run finds that out.
package enum ModelBounds {
    /// The largest file, in bytes. Protocol buffers end there.
    package static let fileBytes = Int(Int32.max)
    /// The most operations in all graphs of a file together.
    package static let nodes = 20_000
    /// The deepest nesting of graphs or of XML tags.
    package static let depth = 32
    /// The most elements of one declared tensor.
    package static let elements = 1 << 29
    /// The most dimensions of one tensor.
    package static let dimensions = 16
    /// The most inputs and outputs of the network.
    package static let ports = 64
    /// The most numbers that the network returns for one picture, in all outputs together.
    package static let answers = 1 << 25
    /// The most classes of one head.
    package static let classes = 100_000
    /// The largest manifest, list of labels, or other text beside the weights, in bytes.
    package static let textBytes = 16 << 20

    package enum Form: Sendable {
        case onnx, tensorFlow, tensorFlowLite, openVINO
    }

    /// Reads the structure of a file, without its weights.
    ///
    /// - Throws: ``ModelBoundsError`` that names the limit or says why the file is unreadable.
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

/// The reason why a model is refused before a trial run.
package struct ModelBoundsError: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    package static func tooMany(_ what: String, _ count: Int, most: Int) -> ModelBoundsError {
        ModelBoundsError("it has \(count) \(what); at most \(most) are served")
    }
}

struct GraphCount {
    private var nodes = 0

    mutating func addNodes(_ count: Int) throws(ModelBoundsError) {
        nodes += count
        guard nodes <= ModelBounds.nodes else { throw .tooMany("operations", nodes, most: ModelBounds.nodes) }
    }

    /// - Parameter shape: a free dimension is less than 0.
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
