/// Languages that answers are written in.
package enum MessageLanguage: String, Sendable, CaseIterable, Codable {
    case english = "en"
    case finnish = "fi"
}

/// The sentence above the predictions. The two about cats are those of the cat scanner that this replaces.
enum Message {
    static func text(for decision: Decision, in language: MessageLanguage) -> String {
        let isContradicted = decision.presence.map { $0 + "s" != decision.head } ?? false
        return switch (decision.head, language) {
        case ("cats", .english):
            isContradicted
                ? "I don't think this is a cat but if it was it would be:" : "This cat shares the features of:"
        case ("cats", .finnish):
            isContradicted
                ? "En usko, että tämä on kissa, mutta jos olisi, se olisi:" : "Tällä kissalla on samoja piirteitä kuin:"
        case ("dogs", .english):
            isContradicted
                ? "I don't think this is a dog but if it was it would be:" : "This dog shares the features of:"
        case ("dogs", .finnish):
            isContradicted
                ? "En usko, että tämä on koira, mutta jos olisi, se olisi:" : "Tällä koiralla on samoja piirteitä kuin:"
        case ("zoo", .english):
            decision.abstained ? "I am not sure, but this animal could be:" : "This animal looks like:"
        case ("zoo", .finnish):
            decision.abstained ? "En ole varma, mutta tämä eläin voisi olla:" : "Tämä eläin näyttää olevan:"
        case ("fruit", .english):
            decision.abstained ? "I am not sure, but this fruit could be:" : "This fruit looks like:"
        case ("fruit", .finnish):
            decision.abstained ? "En ole varma, mutta tämä hedelmä voisi olla:" : "Tämä hedelmä näyttää olevan:"
        case ("presence", .english): "This picture shows:"
        case ("presence", .finnish): "Tässä kuvassa on:"
        case (_, .english):
            decision.abstained ? "I am not sure, but this could be:" : "This looks like:"
        case (_, .finnish):
            decision.abstained ? "En ole varma, mutta tämä voisi olla:" : "Tämä näyttää olevan:"
        }
    }
}
