import Foundation
import Imaging

/// A named part of a picture in the format of the Metadata Working Group: the centre and the size, as fractions of the
/// stored picture.
struct XMPRegion: Sendable, Equatable {
    let name: String
    let x, y, width, height: Double

    init(name: String, x: Double, y: Double, width: Double, height: Double) {
        self.name = name
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    /// Reads an item of a list of regions. Its values may be attributes, elements, or inside a nested description.
    init?(_ item: XMLElement) {
        let fields = Self.fields(of: item)
        guard let area = fields["Area"]?.element else { return nil }
        let sides = Self.fields(of: area)
        func number(_ name: String) -> Double? {
            sides[name].flatMap { Double($0.text) }.flatMap { $0.isFinite ? $0 : nil }
        }
        guard let x = number("x"), let y = number("y"), let width = number("w"), let height = number("h") else {
            return nil
        }
        self.init(name: fields["Name"]?.text ?? "", x: x, y: y, width: width, height: height)
    }

    private static func fields(of element: XMLElement) -> [String: (text: String, element: XMLElement?)] {
        var fields: [String: (text: String, element: XMLElement?)] = [:]
        for (name, value) in element.attributes {
            fields[String(name.drop { $0 != ":" }.dropFirst())] = (value, nil)
        }
        for child in element.children.compactMap(\.element) {
            if child.localName == "Description" {
                fields.merge(Self.fields(of: child)) { first, _ in first }
            } else {
                fields[String(child.localName)] = (child.text.trimmingCharacters(in: .whitespacesAndNewlines), child)
            }
        }
        return fields
    }

    private var place: PictureRegion {
        PictureRegion(x: x - width / 2, y: y - height / 2, width: width, height: height)
    }

    /// Whether the document already names this place, or has this name.
    func isKnown(to other: XMPRegion) -> Bool {
        let overlap = place.overlap(with: other.place)
        return !other.name.isEmpty && overlap > 0.6 || other.name.lowercased() == name.lowercased() && overlap > 0.3
    }

    /// The entry for the list of additions. Four decimals are half a pixel of the largest photos.
    var note: String {
        "region=\(name)@" + [x, y, width, height].map { String(format: "%.4f", $0) }.joined(separator: ",")
    }

    /// - Parameter rdf: the document's prefix with its colon.
    func item(_ rdf: String) -> XMLElement {
        func text(_ value: Double) -> String { String(format: "%.4f", value) }
        let area =
            " stArea:x=\"\(text(x))\" stArea:y=\"\(text(y))\" stArea:w=\"\(text(width))\" stArea:h=\"\(text(height))\" "
            + "stArea:unit=\"normalized\""
        var areaElement = XMLElement("mwg-rs:Area", area)
        areaElement.isSelfClosing = true
        return XMLElement(
            rdf + "li",
            " \(rdf)parseType=\"Resource\" xmlns:mwg-rs=\"\(XMPName.regions)\" xmlns:stArea=\"\(XMPName.area)\"",
            [
                .element(XMLElement("mwg-rs:Name", "", [.raw(XMLText.escaped(name))])),
                .element(XMLElement("mwg-rs:Type", "", [.raw("Pet")])), .element(areaElement),
            ])
    }
}
