package import Base

/// The sentence above the predictions. Its two sentences about cats come from the cat scanner that Menagerie replaces.
package enum Message {
    /// - Parameter animals: the number that a detector found. If there are several, a sentence about that comes first.
    package static func text(for decision: Decision, animals: Int, in language: Language) -> String {
        let sentence = text(for: decision, in: language)
        guard animals > 1 else { return sentence }
        return switch language {
        case .english: "There are \(animals) animals in this picture. \(sentence)"
        case .finnish: "Tässä kuvassa on \(animals) eläintä. \(sentence)"
        }
    }

    static func text(for decision: Decision, in language: Language) -> String {
        let isContradicted = decision.presence.map { $0 + "s" != decision.head } ?? false
        // A requested breed gets the cat scanner's words, unless the picture shows the breed's wild relative.
        let isWildKin =
            decision.head == "cats" && decision.kind == .wildCat || decision.head == "dogs" && decision.kind == .wildDog
        let isBreed = decision.head == "cats" || decision.head == "dogs"
        if decision.head == Decision.drawings, decision.abstained {
            return language == .english
                ? "This is a drawing, but I am not sure of what; it could be:"
                : "Tämä on piirros, mutta en ole varma mistä; se voisi olla:"
        }
        if decision.abstained, let kind = decision.kind, isWildKin || !isBreed {
            return text(for: decision, ofKind: kind, isContradicted: isContradicted, in: language)
        }
        if decision.isEmpty { return nothing(of: decision.head, in: language) }
        return switch (decision.head, language) {
        case ("cats", _) where isContradicted:
            language == .english
                ? "I don't think this is a cat but if it was it would be:"
                : "En usko, että tämä on kissa, mutta jos olisi, se olisi:"
        case ("dogs", _) where isContradicted:
            language == .english
                ? "I don't think this is a dog but if it was it would be:"
                : "En usko, että tämä on koira, mutta jos olisi, se olisi:"
        case ("cats", .english):
            decision.abstained
                ? "I am not sure of the breed, but this cat could be:" : "This cat shares the features of:"
        case ("cats", .finnish):
            decision.abstained
                ? "En ole varma rodusta, mutta tämä kissa voisi olla:" : "Tällä kissalla on samoja piirteitä kuin:"
        case ("dogs", .english):
            decision.abstained
                ? "I am not sure of the breed, but this dog could be:" : "This dog shares the features of:"
        case ("dogs", .finnish):
            decision.abstained
                ? "En ole varma rodusta, mutta tämä koira voisi olla:" : "Tällä koiralla on samoja piirteitä kuin:"
        case ("zoo", .english) where decision.isUnlikely:
            "I don't think this is a zoo animal that I know, but if it was it would be:"
        case ("zoo", .finnish) where decision.isUnlikely:
            "En usko, että tämä on mikään tuntemani eläintarhan eläin, mutta jos olisi, se olisi:"
        case ("fruit", .english) where decision.isUnlikely:
            "I don't think this is a fruit that I know, but if it was it would be:"
        case ("fruit", .finnish) where decision.isUnlikely:
            "En usko, että tämä on mikään tuntemani hedelmä, mutta jos olisi, se olisi:"
        case ("zoo", .english) where decision.abstained: "I am not sure, but this animal could be:"
        case ("zoo", .finnish) where decision.abstained: "En ole varma, mutta tämä eläin voisi olla:"
        case ("zoo", .english):
            decision.isApproximate
                ? "This animal looks like this species or a near relative:" : "This animal looks like:"
        case ("zoo", .finnish):
            decision.isApproximate
                ? "Tämä eläin näyttää olevan tätä lajia tai sen lähisukulainen:" : "Tämä eläin näyttää olevan:"
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

    /// The answer is unreliable, but the kind of thing is known.
    private static func text(
        for decision: Decision, ofKind kind: Kind, isContradicted: Bool, in language: Language
    ) -> String {
        let words = kind.words(in: language)
        let isBreed = decision.head == "cats" || decision.head == "dogs"
        return switch (language, isBreed && isContradicted) {
        case (.english, true):
            "This looks like \(words), not one of the breeds that I know"
                + (decision.isEmpty
                    ? "." : ", but if it was a \(decision.head == "cats" ? "cat" : "dog") it would be:")
        case (.finnish, true):
            "Tämä näyttää \(words), ei miltään tuntemaltani rodulta"
                + (decision.isEmpty
                    ? "." : ", mutta jos se olisi \(decision.head == "cats" ? "kissa" : "koira"), se olisi:")
        case (.english, false):
            "This looks like \(words), but I am not sure which" + (decision.isEmpty ? "." : "; it could be:")
        case (.finnish, false):
            "Tämä näyttää \(words), mutta en ole varma mikä se on"
                + (decision.isEmpty ? "." : "; se voisi olla:")
        }
    }

    /// The sentence without predictions: the requested head saw none of its classes.
    private static func nothing(of head: String, in language: Language) -> String {
        switch (head, language) {
        case ("cats", .english): "I don't think this is a cat of a breed that I know."
        case ("cats", .finnish): "En usko, että tämä on mikään tuntemani kissarotu."
        case ("dogs", .english): "I don't think this is a dog of a breed that I know."
        case ("dogs", .finnish): "En usko, että tämä on mikään tuntemani koirarotu."
        case ("zoo", .english): "I don't think this is a zoo animal that I know."
        case ("zoo", .finnish): "En usko, että tämä on mikään tuntemani eläintarhan eläin."
        case ("fruit", .english): "I don't think this is a fruit that I know."
        case ("fruit", .finnish): "En usko, että tämä on mikään tuntemani hedelmä."
        case (_, .english): "I don't recognise anything in this picture."
        case (_, .finnish): "En tunnista tästä kuvasta mitään."
        }
    }
}
