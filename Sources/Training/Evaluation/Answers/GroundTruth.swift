/// The right answer of each head for a photo, by the rules of `Training/menagerie_training/labels.py`.
package struct GroundTruth: Sendable {
    /// The heads' labels in the order of their probabilities.
    private let indices: [String: [String: Int]]

    package init(heads: [(name: String, labels: [String])]) {
        indices = Dictionary(
            uniqueKeysWithValues: heads.map { name, labels in
                // A label of two classes (ImageNet has two cranes) cannot measure either of them.
                let counts = Dictionary(labels.map { ($0, 1) }, uniquingKeysWith: +)
                let places = labels.enumerated().map { ($1, $0) }.filter { counts[$0.0] == 1 }
                return (name, Dictionary(uniqueKeysWithValues: places))
            })
    }

    /// The index of the right answer among the head's labels. Nil if the photo says nothing about it.
    package func answer(of head: String, to photo: LabelledPhoto) -> Int? {
        guard let labels = indices[head] else { return nil }
        if let label = photo.labels[head] { return labels[label] }
        guard let group = photo.group else { return labels[photo.label] }
        // In lists from ImageNet, dogs are in the group `animal`.
        let isDog = group == "animal" && indices["dogs"]?[photo.label] != nil
        let kind = head == "presence" && isDog && !Self.unclear.contains(photo.label) ? "dog" : group
        return Self.label(of: head, group: kind, photo: photo).flatMap { labels[$0] }
    }

    /// Whether the photo shows a breed that a head knows. Nil for pets without a named breed.
    package func isKnownBreed(_ photo: LabelledPhoto) -> Bool? {
        if answer(of: "cats", to: photo) != nil || answer(of: "dogs", to: photo) != nil { return true }
        return photo.label.hasSuffix("_unspecified") || Self.untrustedDogs.contains(photo.label) ? nil : false
    }

    private static func label(of head: String, group: String, photo: LabelledPhoto) -> String? {
        let label = group == "cat" && photo.label == "canadian_hairless" ? "sphynx" : photo.label
        switch head {
        case "presence": return presence(group, label)
        case "cats": return group == "cat" || group == "animal" ? label : nil
        case "dogs": return (group == "dog" || group == "animal") && !untrustedDogs.contains(label) ? label : nil
        case "fruit": return group == "fruit" ? label : nil
        case "zoo": return group == "animal" ? zooSpecies[label] ?? label : nil
        case "objects":
            // Several sources use an ImageNet name for another thing, so only ImageNet's own photos measure it.
            let isImageNet = photo.source.map { source in imageNetSources.contains { source.hasPrefix($0) } } ?? true
            return group != "cat" && isImageNet ? label : nil
        default: return label
        }
    }

    private static func presence(_ group: String, _ label: String) -> String? {
        switch group {
        case "cat": "cat"
        case "animal" where houseCats.contains(label): "cat"
        case "dog": label == "coyote" ? nil : "dog"
        case "animal", "fruit", "object": unclear.contains(label) ? nil : "other"
        default: nil
        }
    }

    private static let imageNetSources = ["EliSchwartz/", "pomatokyo/mini-imagenet", "ajschumacher/imagen"]
    /// Labels of one source whose photos mostly show another breed, as a manual check showed.
    private static let untrustedDogs: Set = ["bulldog", "schnauzer", "corgi", "poodle"]
    private static let houseCats: Set = [
        "tabby", "tiger_cat", "egyptian_cat", "persian_cat", "siamese_cat", "angora_cat",
    ]
    /// Classes that are neither clearly cats nor clearly dogs.
    private static let unclear: Set = [
        "wild_cat", "sand_cat", "pallass_cat", "black_footed_cat", "coyote", "dingo", "dhole", "african_hunting_dog",
        "african_wild_dog", "raccoon_dog", "bush_dog",
    ]
    /// The zoo's species for class names of photos that differ from the species' names.
    private static let zooSpecies = [
        "tiger": "amur_tiger", "leopard": "amur_leopard", "lion": "asiatic_lion", "lesser_panda": "red_panda",
        "seal": "grey_seal", "bison": "european_bison", "reindeer": "european_forest_reindeer", "muskox": "musk_ox",
        "gazelle": "goitered_gazelle", "llama": "alpaca", "sheep": "finnsheep", "domestic_sheep": "finnsheep",
        "rabbit": "domestic_rabbit", "angora": "domestic_rabbit", "madagascar_cat": "ring_tailed_lemur",
        "two_toed_sloth": "linnaeuss_two_toed_sloth", "wallaby": "red_necked_wallaby", "squirrel": "red_squirrel",
        "hedgehog": "european_hedgehog", "eagle": "white_tailed_eagle", "vulture": "cinereous_vulture",
        "peacock": "indian_peafowl", "common_crane": "red_crowned_crane", "whooping_crane": "red_crowned_crane",
        "goose": "barnacle_goose", "rooster": "domestic_chicken", "chicken": "domestic_chicken",
        "cock": "domestic_chicken", "hen": "domestic_chicken", "macaw": "blue_and_yellow_macaw",
        "common_iguana": "green_iguana", "ant": "leafcutter_ant",
    ]
}
