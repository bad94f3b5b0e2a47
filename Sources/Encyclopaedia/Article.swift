/// What the encyclopaedia knows of one breed, species or fruit; one JSON file each under `Articles/`.
package struct Article: Sendable, Codable, Equatable {
    /// What an article is about.
    package enum Kind: String, Sendable, Codable, CaseIterable {
        case breed, species, fruit
    }

    /// Compared with others of the same kind; for wildlife by body mass.
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

    /// The words for an article in one language, and the others it goes by.
    package struct Aliases: Sendable, Codable, Equatable {
        package let en: [String]
        package let fi: [String]
    }

    /// From the least to the most that is usual in a healthy adult.
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

    /// Where a fact can be looked up.
    package struct Source: Sendable, Codable, Equatable {
        package let title: String
        package let url: String
    }

    /// The label of the model's heads, such as `siamese` or `snow_leopard`.
    package let id: String
    package let kind: Kind
    /// `cat` and `dog` for their breeds, otherwise the animal itself.
    package let species: String
    /// Coat length of cats, FCI group of dogs, class of other animals.
    package let group: String
    package let name: LocalizedText
    package let scientificName: String?
    package let aliases: Aliases
    package let origin: LocalizedText
    /// ISO 3166-1 alpha-2 codes.
    package let countries: [String]
    package let size: Size
    package let summary: LocalizedText
    /// 120 to 250 words in English, as much in Finnish.
    package let description: LocalizedText
    /// Appearance, temperament, care and health of breeds; appearance, behaviour, habitat, diet and ecology of species.
    package let sections: [String: LocalizedText]
    package let lifeSpanYears: Range?
    package let weightKilograms: Range?
    /// At the shoulder.
    package let heightCentimetres: Range?
    /// Of the body, where that is the usual measure.
    package let lengthCentimetres: Range?
    /// From 1 (least) to 5 (most): affection, energy, grooming, shedding and so on; breeds only.
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
    /// The names of all traits, in the order in which they are shown.
    package static let traitNames = [
        "affection", "energy", "grooming", "shedding", "vocal", "children", "other_pets", "trainability", "playfulness",
        "independence",
    ]
}
