package import Base

/// An article about one breed, species or fruit. Each is a JSON file under `Articles/`.
package struct Article: Sendable, Codable, Equatable {
    package enum Kind: String, Sendable, Codable, CaseIterable {
        case breed, species, fruit
    }

    /// The size among others of the same kind; for wildlife by body mass.
    package enum Size: String, Sendable, Codable, CaseIterable {
        case tiny, small, medium, large, giant
    }

    /// Categories of the IUCN Red List, version 3.1.
    package enum ConservationStatus: String, Sendable, Codable, CaseIterable {
        case leastConcern = "LC"
        case nearThreatened = "NT"
        case vulnerable = "VU"
        case endangered = "EN"
        case criticallyEndangered = "CR"
        case extinctInTheWild = "EW"
        case extinct = "EX"
        case dataDeficient = "DD"
        case notEvaluated = "NE"
    }

    /// The main word for an article in each language, and its other names.
    package struct Aliases: Sendable, Codable, Equatable {
        package let en: [String]
        package let fi: [String]
    }

    /// The usual range in healthy adults.
    package struct Range: Sendable, Codable, Equatable {
        package let min: Double
        package let max: Double
    }

    /// An animal that is easily taken for this one.
    package struct LookAlike: Sendable, Codable, Equatable {
        package let id: String
        package let howToTell: LocalizedText

        enum CodingKeys: String, CodingKey {
            case id
            case howToTell = "how_to_tell"
        }
    }

    /// A reference for the article's facts.
    package struct Source: Sendable, Codable, Equatable {
        package let title: String
        package let url: String
    }

    /// The label in the model's heads, such as `siamese` or `snow_leopard`.
    package let id: String
    package let kind: Kind
    /// `cat` or `dog` for their breeds, otherwise the animal itself.
    package let species: String
    /// The coat length of cats, the FCI group of dogs, the class of other animals.
    package let group: String
    package let name: LocalizedText
    package let scientificName: String?
    package let aliases: Aliases
    package let origin: LocalizedText
    /// ISO 3166-1 alpha-2 codes.
    package let countries: [String]
    package let size: Size
    package let summary: LocalizedText
    /// 120 to 250 words in English, and as many in Finnish.
    package let description: LocalizedText
    /// Appearance, temperament, care and health of breeds; appearance, behaviour, habitat, diet and ecology of species.
    package let sections: [String: LocalizedText]
    package let lifeSpanYears: Range?
    package let weightKilograms: Range?
    /// The height at the shoulder.
    package let heightCentimetres: Range?
    /// The length of the body, if that is the usual measure.
    package let lengthCentimetres: Range?
    /// Affection, energy, grooming, shedding and so on, from 1 (least) to 5 (most); breeds only.
    package let traits: [String: Int]?
    package let conservationStatus: ConservationStatus?
    package let lookAlikes: [LookAlike]
    package let sources: [Source]

    enum CodingKeys: String, CodingKey {
        case id, kind, species, group, name, aliases, origin, countries, size, summary, description, sections, traits
        case sources
        case scientificName = "scientific_name"
        case lifeSpanYears = "life_span_years"
        case weightKilograms = "weight_kg"
        case heightCentimetres = "height_cm"
        case lengthCentimetres = "length_cm"
        case conservationStatus = "conservation_status"
        case lookAlikes = "look_alikes"
    }
}

extension Article {
    /// The names of all traits, in display order.
    package static let traitNames = [
        "affection", "energy", "grooming", "shedding", "vocal", "children", "other_pets", "trainability", "playfulness",
        "independence",
    ]
}

/// A text in English and perhaps in Finnish.
package struct LocalizedText: Sendable, Codable, Equatable {
    package let en: String
    package let fi: String?

    /// The text in this language, or in English if it is not translated.
    package subscript(language: Language) -> String {
        switch language {
        case .english: en
        case .finnish: fi ?? en
        }
    }

    package func isWritten(in language: Language) -> Bool {
        language == .english || fi != nil
    }
}
