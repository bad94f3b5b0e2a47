/// Edits the list in a property. Nil if it holds something else.
func editList(_ property: inout XMLElement, _ scope: XMPScope, _ body: (inout XMLElement) -> Bool) -> Bool? {
    for index in property.children.indices {
        guard var container = property.children[index].element else { continue }
        let name = scope.name(of: container)
        guard name.namespace == XMPName.rdf, ["Bag", "Seq", "Alt"].contains(name.local) else { return nil }
        let value = body(&container)
        property.children[index] = .element(container)
        return value
    }
    return nil
}

/// Edits the list of regions in the same way.
func editRegions(_ property: inout XMLElement, _ scope: XMPScope, _ body: (inout XMLElement) -> Bool) -> Bool? {
    for index in property.children.indices {
        guard var element = property.children[index].element else { continue }
        let value: Bool?
        switch scope.name(of: element) {
        case XMPName(namespace: XMPName.regions, local: "RegionList"):
            value = editList(&element, scope.inside(element), body)
        case .description:
            value = editRegions(&element, scope.inside(element), body)
        default: continue
        }
        guard let value else { continue }
        property.children[index] = .element(element)
        return value
    }
    return nil
}
