/// An XMP document (ISO 16684-1). Keywords can be added and removed. Everything else stays byte for byte.
struct XMPPacket: Sendable {
    private var nodes: [XMLNode]
    private let isNew: Bool

    init() {
        let text =
            "<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
            + "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\n <rdf:RDF xmlns:rdf=\"\(XMPName.rdf)\">\n </rdf:RDF>\n</x:xmpmeta>\n"
            + "<?xpacket end=\"w\"?>\n"
        nodes = (try? XMLReader.nodes(in: Array(text.utf8))) ?? []
        isNew = true
    }

    init(_ bytes: [UInt8]) throws(SidecarError) {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw .notUTF8 }
        do throws(XMLError) {
            nodes = try XMLReader.nodes(in: bytes)
        } catch {
            throw .malformed(error.description)
        }
        isNew = false
        var packet = self
        guard packet.editRoot({ _, _ in }) else { throw .noRDF }
    }

    var bytes: [UInt8] { Array(XMLNode.text(of: nodes).utf8) }

    // MARK: Adding and taking back

    /// Adds missing keywords, and removes those that an earlier run added. A keyword that the user has deleted since
    /// then is not added again.
    ///
    /// - Throws: ``SidecarError/unexpected(_:)``. Nothing has changed then.
    mutating func add(_ wanted: SidecarTags) throws(SidecarError) {
        var packet = self
        let before = packet.notes
        let present = packet.presentNotes
        let rejected = before.filter { $0 != Self.fileNote && !present.contains($0) }
        packet.remove(before)
        var notes: [String] = []
        for list in XMPList.allCases {
            let known = Set(packet.texts(of: list))
            var texts: [String] = []
            for text in wanted.tags.map(list.text) where !known.contains(text) && !texts.contains(text) {
                if !rejected.contains(list.note(text)) { texts.append(text) }
            }
            guard !texts.isEmpty else { continue }
            try packet.append(texts, to: list)
            notes += texts.map(list.note)
        }
        let known = packet.regions
        let regions = wanted.regions.filter { region in
            !rejected.contains(region.note) && !known.contains { region.isKnown(to: $0) }
        }
        if !regions.isEmpty {
            try packet.append(regions, width: wanted.width, height: wanted.height)
            notes += regions.map(\.note)
        }
        notes += rejected
        guard !notes.isEmpty else {
            self = packet
            return
        }
        if isNew || before.contains(Self.fileNote) { notes.append(Self.fileNote) }
        packet.write(notes)
        self = packet
    }

    /// Removes everything that was added.
    ///
    /// - Returns: whether the file was created for the additions and is empty now, so that it can be deleted.
    mutating func undo() -> Bool {
        let notes = notes
        remove(notes)
        var isEmpty = true
        editRoot { root, _ in
            for description in root.children.compactMap(\.element) {
                let hasAttributes = description.attributes.contains {
                    !$0.name.hasPrefix("xmlns") && !$0.name.hasSuffix("about")
                }
                if description.hasElements || hasAttributes { isEmpty = false }
            }
        }
        return isEmpty && notes.contains(Self.fileNote)
    }

    /// Whether an earlier run added something.
    var hasNotes: Bool { !notes.isEmpty }

    /// Marks a file that was created for the additions.
    private static let fileNote = "file"

    private var presentNotes: Set<String> {
        var present = Set(regions.map(\.note))
        for list in XMPList.allCases { present.formUnion(texts(of: list).map(list.note)) }
        return present
    }

    private mutating func remove(_ notes: [String]) {
        let notes = Set(notes)
        guard !notes.isEmpty else { return }
        for list in XMPList.allCases {
            editItems(of: list.name) { container in
                container.removeElements { notes.contains(list.note($0.text)) }
                return !container.hasElements
            }
        }
        editItems(of: .regionInfo) { container in
            container.removeElements { item in XMPRegion(item).map { notes.contains($0.note) } ?? false }
            return !container.hasElements
        }
        editProperty(.added) { _, _ in true }
    }

    // MARK: Reading

    private var notes: [String] { items(of: .added).map(\.text) }

    private var regions: [XMPRegion] { items(of: .regionInfo).compactMap(XMPRegion.init) }

    /// Whether a description has the property as an attribute, which holds no list. An element beside it would hide it.
    private func isAttribute(_ name: XMPName) -> Bool {
        var (packet, isThere) = (self, false)
        packet.editRoot { root, scope in
            isThere = root.children.compactMap(\.element).contains { scope.hasAttribute(name, $0) }
        }
        return isThere
    }

    private func texts(of list: XMPList) -> [String] { items(of: list.name).map(\.text) }

    private func items(of name: XMPName) -> [XMLElement] {
        var items: [XMLElement] = []
        var packet = self
        packet.editItems(of: name) { container in
            items = container.children.compactMap(\.element)
            return false
        }
        return items
    }

    // MARK: Writing

    private mutating func append(_ texts: [String], to list: XMPList) throws(SidecarError) {
        let isList = editItems(of: list.name) { container in
            for text in texts { container.append(Self.item(container.prefix, text)) }
            return false
        }
        guard isList != false, !isAttribute(list.name) else { throw .unexpected(list.rawValue) }
        guard isList == nil else { return }
        let prefix = list.rawValue.prefix { $0 != ":" }
        appendProperty { rdf in
            XMLElement(
                list.rawValue, " xmlns:\(prefix)=\"\(list.name.namespace)\"",
                [.element(Self.list(rdf + list.container, rdf, texts))])
        }
    }

    private mutating func append(_ regions: [XMPRegion], width: Int, height: Int) throws(SidecarError) {
        let isList = editItems(of: .regionInfo) { container in
            for region in regions { container.append(region.item(container.prefix)) }
            return false
        }
        guard isList != false else { throw .unexpected("mwg-rs:RegionList") }
        guard isList == nil else { return }
        appendProperty { rdf in
            var dimensions = XMLElement(
                "mwg-rs:AppliedToDimensions",
                " xmlns:stDim=\"\(XMPName.dimensions)\" stDim:w=\"\(width)\" stDim:h=\"\(height)\" stDim:unit=\"pixel\""
            )
            dimensions.isSelfClosing = true
            let list = XMLElement(rdf + "Bag", "", regions.map { .element($0.item(rdf)) })
            return XMLElement(
                "mwg-rs:Regions", " xmlns:mwg-rs=\"\(XMPName.regions)\" \(rdf)parseType=\"Resource\"",
                [.element(dimensions), .element(XMLElement("mwg-rs:RegionList", "", [.element(list)]))])
        }
    }

    private mutating func write(_ notes: [String]) {
        appendProperty { rdf in
            XMLElement(
                "menagerie:added", " xmlns:menagerie=\"\(XMPName.menagerie)\"",
                [.element(Self.list(rdf + "Bag", rdf, notes))])
        }
    }

    private static func list(_ name: String, _ rdf: String, _ texts: [String]) -> XMLElement {
        XMLElement(name, "", texts.map { .element(item(rdf, $0)) })
    }

    private static func item(_ rdf: String, _ text: String) -> XMLElement {
        XMLElement(rdf + "li", "", [.raw(XMLText.escaped(text))])
    }

    /// Adds a property in a new description, which declares its own namespace.
    private mutating func appendProperty(_ make: (_ rdf: String) -> XMLElement) {
        editRoot { root, scope in
            let rdf = root.prefix
            // All descriptions have the same subject (ISO 16684-1 §7.4), so the new one copies it.
            let about = root.children.compactMap(\.element).flatMap(\.attributes)
                .first { $0.name == rdf + "about" || $0.name == "about" }
            let text = XMLText.escaped(about?.value ?? "")
            root.append(XMLElement(rdf + "Description", " \(rdf)about=\"\(text)\"", [.element(make(rdf))]))
        }
    }

    // MARK: Finding

    /// - Returns: whether the root element exists.
    @discardableResult
    private mutating func editRoot(_ body: (inout XMLElement, XMPScope) -> Void) -> Bool {
        func search(_ nodes: inout [XMLNode], _ scope: XMPScope) -> Bool {
            for index in nodes.indices {
                guard var element = nodes[index].element else { continue }
                let isFound: Bool
                if scope.name(of: element) == .root {
                    body(&element, scope.inside(element))
                    isFound = true
                } else {
                    isFound = search(&element.children, scope.inside(element))
                }
                guard isFound else { continue }
                nodes[index] = .element(element)
                return true
            }
            return false
        }
        return search(&nodes, XMPScope())
    }

    /// Edits the list in a property, which is removed if the body asks for that.
    ///
    /// - Returns: whether the property holds a list; nil if the property does not exist.
    @discardableResult
    private mutating func editItems(of name: XMPName, _ body: (inout XMLElement) -> Bool) -> Bool? {
        var isList = false
        let isThere = editProperty(name) { property, scope in
            let isRemoved =
                name == .regionInfo ? editRegions(&property, scope, body) : editList(&property, scope, body)
            isList = isRemoved != nil
            return isRemoved ?? false
        }
        return isThere ? isList : nil
    }

    /// Edits a property in any description. If the body asks for its removal, an otherwise empty description is removed
    /// too.
    ///
    /// - Returns: whether the property exists.
    @discardableResult
    private mutating func editProperty(_ name: XMPName, _ body: (inout XMLElement, XMPScope) -> Bool) -> Bool {
        var isThere = false
        editRoot { root, scope in
            var emptied: Set<String> = []
            for index in root.children.indices {
                guard var description = root.children[index].element else { continue }
                let inner = scope.inside(description)
                var isChanged = false
                for place in description.children.indices.reversed() {
                    guard place < description.children.count, var property = description.children[place].element,
                        inner.name(of: property) == name
                    else { continue }
                    isThere = true
                    isChanged = true
                    if body(&property, inner.inside(property)) {
                        description.removeElement(at: place)
                    } else {
                        description.children[place] = .element(property)
                    }
                }
                guard isChanged else { continue }
                root.children[index] = .element(description)
                let attributes = description.attributes.filter { !$0.name.hasPrefix("xmlns") }
                if !description.hasElements, attributes.allSatisfy({ $0.name.hasSuffix("about") }) {
                    emptied.insert(XMLNode.text(of: [.element(description)]))
                }
            }
            if !emptied.isEmpty {
                root.removeElements { emptied.contains(XMLNode.text(of: [.element($0)])) }
            }
        }
        return isThere
    }
}

extension XMPList {
    /// The entry for the list of additions.
    fileprivate func note(_ text: String) -> String { "\(rawValue)=\(text)" }
}
