/// OpenVINO's format, an XML document with a `layer` for each operation and a `dim` for each side of a tensor.
extension GraphCount {
    mutating func addOpenVINO(_ bytes: [UInt8]) throws {
        var (depth, position) = (0, 0)
        var shape: [Int] = []
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            guard let end = bytes[start...].firstIndex(of: UInt8(ascii: ">")) else {
                throw ModelBoundsError("the file is cut off")
            }
            let tag = bytes[(start + 1)..<end]
            position = end + 1
            if tag.first == UInt8(ascii: "/") {
                depth -= 1
                if tag.dropFirst().elementsEqual("port".utf8) {
                    try check(shape: shape)
                    shape = []
                }
            } else if tag.first != UInt8(ascii: "?"), tag.first != UInt8(ascii: "!"), tag.last != UInt8(ascii: "/") {
                depth += 1
                guard depth <= ModelBounds.depth else {
                    throw ModelBoundsError("its tags are nested deeper than \(ModelBounds.depth)")
                }
            }
            if tag.starts(with: "layer ".utf8) { try addNodes(1) }
            if tag.elementsEqual("dim".utf8), shape.count <= ModelBounds.dimensions {
                let text = bytes[position...].prefix { $0 != UInt8(ascii: "<") }.prefix(24)
                shape.append(Int(String(decoding: text, as: UTF8.self)) ?? -1)
            }
        }
        guard depth == 0 else { throw ModelBoundsError("the file is cut off") }
    }
}
