/// The name of a breed in the list of dog.ceo: one word, and a second one for a sub-breed.
///
/// Source: https://dog.ceo/dog-api/documentation/
package struct DogListName: Sendable, Hashable, CustomStringConvertible {
    package let breed: String
    package let subBreed: String?

    package init(_ breed: String, _ subBreed: String? = nil) {
        self.breed = breed
        self.subBreed = subBreed
    }

    /// The name in reading order: `boston bulldog`.
    package var description: String {
        subBreed.map { "\($0) \(breed)" } ?? breed
    }
}

extension DogListName {
    /// The name for a label of the dogs head.
    package init?(label: String) {
        guard let name = Self.byLabel[label] else { return nil }
        self = name
    }

    /// All breeds of the dogs head with their sub-breeds, in the form of `/breeds/list/all`.
    package static let all: [String: [String]] = byLabel.values.reduce(into: [:]) { list, name in
        list[name.breed, default: []] += name.subBreed.map { [$0] } ?? []
    }
    .mapValues { $0.sorted() }
}

extension DogListName {
    /// The name in the list for each of the 120 labels of Stanford Dogs.
    static let byLabel: [String: DogListName] = [
        "chihuahua": .init("chihuahua"),
        "japanese_spaniel": .init("spaniel", "japanese"),
        "maltese_dog": .init("maltese"),
        "pekinese": .init("pekinese"),
        "shih_tzu": .init("shihtzu"),
        "blenheim_spaniel": .init("spaniel", "blenheim"),
        "papillon": .init("papillon"),
        "toy_terrier": .init("terrier", "toy"),
        "rhodesian_ridgeback": .init("ridgeback", "rhodesian"),
        "afghan_hound": .init("hound", "afghan"),
        "basset": .init("hound", "basset"),
        "beagle": .init("beagle"),
        "bloodhound": .init("hound", "blood"),
        "bluetick": .init("bluetick"),
        "black_and_tan_coonhound": .init("coonhound"),
        "walker_hound": .init("hound", "walker"),
        "english_foxhound": .init("hound", "english"),
        "redbone": .init("redbone"),
        "borzoi": .init("borzoi"),
        "irish_wolfhound": .init("wolfhound", "irish"),
        "italian_greyhound": .init("greyhound", "italian"),
        "whippet": .init("whippet"),
        "ibizan_hound": .init("hound", "ibizan"),
        "norwegian_elkhound": .init("elkhound", "norwegian"),
        "otterhound": .init("otterhound"),
        "saluki": .init("saluki"),
        "scottish_deerhound": .init("deerhound", "scottish"),
        "weimaraner": .init("weimaraner"),
        "staffordshire_bullterrier": .init("bullterrier", "staffordshire"),
        "american_staffordshire_terrier": .init("terrier", "american"),
        "bedlington_terrier": .init("terrier", "bedlington"),
        "border_terrier": .init("terrier", "border"),
        "kerry_blue_terrier": .init("terrier", "kerryblue"),
        "irish_terrier": .init("terrier", "irish"),
        "norfolk_terrier": .init("terrier", "norfolk"),
        "norwich_terrier": .init("terrier", "norwich"),
        "yorkshire_terrier": .init("terrier", "yorkshire"),
        "wire_haired_fox_terrier": .init("terrier", "fox"),
        "lakeland_terrier": .init("terrier", "lakeland"),
        "sealyham_terrier": .init("terrier", "sealyham"),
        "airedale": .init("airedale"),
        "cairn": .init("terrier", "cairn"),
        "australian_terrier": .init("terrier", "australian"),
        "dandie_dinmont": .init("terrier", "dandie"),
        "boston_bull": .init("bulldog", "boston"),
        "miniature_schnauzer": .init("schnauzer", "miniature"),
        "giant_schnauzer": .init("schnauzer", "giant"),
        "standard_schnauzer": .init("schnauzer", "standard"),
        "scotch_terrier": .init("terrier", "scottish"),
        "tibetan_terrier": .init("terrier", "tibetan"),
        "silky_terrier": .init("terrier", "silky"),
        "soft_coated_wheaten_terrier": .init("terrier", "wheaten"),
        "west_highland_white_terrier": .init("terrier", "westhighland"),
        "lhasa": .init("lhasa"),
        "flat_coated_retriever": .init("retriever", "flatcoated"),
        "curly_coated_retriever": .init("retriever", "curly"),
        "golden_retriever": .init("retriever", "golden"),
        "labrador_retriever": .init("labrador"),
        "chesapeake_bay_retriever": .init("retriever", "chesapeake"),
        "german_short_haired_pointer": .init("pointer", "german"),
        "vizsla": .init("vizsla"),
        "english_setter": .init("setter", "english"),
        "irish_setter": .init("setter", "irish"),
        "gordon_setter": .init("setter", "gordon"),
        "brittany_spaniel": .init("spaniel", "brittany"),
        "clumber": .init("clumber"),
        "english_springer": .init("springer", "english"),
        "welsh_springer_spaniel": .init("spaniel", "welsh"),
        "cocker_spaniel": .init("spaniel", "cocker"),
        "sussex_spaniel": .init("spaniel", "sussex"),
        "irish_water_spaniel": .init("spaniel", "irish"),
        "kuvasz": .init("kuvasz"),
        "schipperke": .init("schipperke"),
        "groenendael": .init("groenendael"),
        "malinois": .init("malinois"),
        "briard": .init("briard"),
        "kelpie": .init("kelpie"),
        "komondor": .init("komondor"),
        "old_english_sheepdog": .init("sheepdog", "english"),
        "shetland_sheepdog": .init("sheepdog", "shetland"),
        "collie": .init("collie"),
        "border_collie": .init("collie", "border"),
        "bouvier_des_flandres": .init("bouvier"),
        "rottweiler": .init("rottweiler"),
        "german_shepherd": .init("germanshepherd"),
        "doberman": .init("doberman"),
        "miniature_pinscher": .init("pinscher", "miniature"),
        "greater_swiss_mountain_dog": .init("mountain", "swiss"),
        "bernese_mountain_dog": .init("mountain", "bernese"),
        "appenzeller": .init("appenzeller"),
        "entlebucher": .init("entlebucher"),
        "boxer": .init("boxer"),
        "bull_mastiff": .init("mastiff", "bull"),
        "tibetan_mastiff": .init("mastiff", "tibetan"),
        "french_bulldog": .init("bulldog", "french"),
        "great_dane": .init("dane", "great"),
        "saint_bernard": .init("stbernard"),
        "eskimo_dog": .init("eskimo"),
        "malamute": .init("malamute"),
        "siberian_husky": .init("husky"),
        "affenpinscher": .init("affenpinscher"),
        "basenji": .init("basenji"),
        "pug": .init("pug"),
        "leonberg": .init("leonberg"),
        "newfoundland": .init("newfoundland"),
        "great_pyrenees": .init("pyrenees"),
        "samoyed": .init("samoyed"),
        "pomeranian": .init("pomeranian"),
        "chow": .init("chow"),
        "keeshond": .init("keeshond"),
        "brabancon_griffon": .init("brabancon"),
        "pembroke": .init("pembroke"),
        "cardigan": .init("corgi", "cardigan"),
        "toy_poodle": .init("poodle", "toy"),
        "miniature_poodle": .init("poodle", "miniature"),
        "standard_poodle": .init("poodle", "standard"),
        "mexican_hairless": .init("mexicanhairless"),
        "dingo": .init("dingo"),
        "dhole": .init("dhole"),
        "african_hunting_dog": .init("african"),
    ]
}
