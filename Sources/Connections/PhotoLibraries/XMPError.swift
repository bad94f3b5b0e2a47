/// The reason why a sidecar was left unchanged.
package enum XMPError: Error, Equatable, CustomStringConvertible {
    case notUTF8
    case malformed(String)
    /// The XML lacks the element with the photo's metadata.
    case noRDF
    /// A property for keywords does not hold a list.
    case unexpected(String)

    package var description: String {
        switch self {
        case .notUTF8: "it is not UTF-8"
        case .malformed(let fault): "it is not XML, \(fault)"
        case .noRDF: "it has no rdf:RDF, so it is not XMP"
        case .unexpected(let name): "its \(name) is not a list"
        }
    }
}
