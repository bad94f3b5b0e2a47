extension Gzip {
    /// Whether content of `type` shrinks: text, JSON, XML, SVG and the like do, pictures and archives do not.
    package static func isCompressible(_ type: MediaType) -> Bool {
        var essence = type.essence
        return essence.withUTF8 { isCompressible(contentType: UnsafeRawBufferPointer($0)) }
    }

    /// - Parameter contentType: the value of Content-Type, with or without parameters.
    static func isCompressible(contentType: UnsafeRawBufferPointer) -> Bool {
        let end = contentType.firstIndex { $0 == UInt8(ascii: ";") || ByteClass.isBlank($0) } ?? contentType.count
        let essence = UnsafeRawBufferPointer(rebasing: contentType[..<end])
        guard let slash = essence.firstIndex(of: UInt8(ascii: "/")) else { return false }
        let subtype = UnsafeRawBufferPointer(rebasing: essence[(slash + 1)...])
        if UnsafeRawBufferPointer(rebasing: essence[..<slash]).equals("text") { return true }
        if subtype.ends(with: "+json") || subtype.ends(with: "+xml") { return true }
        return compressible.contains { essence.equals($0) }
    }

    private static let compressible: [StaticString] = [
        "application/json", "application/javascript", "application/xml", "application/wasm", "application/x-ndjson",
        "image/bmp", "image/x-icon", "image/vnd.microsoft.icon", "font/ttf", "font/otf",
    ]
}

extension UnsafeRawBufferPointer {
    /// - Parameter text: lower-case ASCII.
    fileprivate func ends(with text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        return count >= length && UnsafeRawBufferPointer(rebasing: self[(count - length)...]).equals(text)
    }
}
