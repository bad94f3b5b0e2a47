import Base
import Foundation
import Testing

@testable import Encyclopaedia

/// The names of objects in both languages. Every label that the program can answer has one.
@Suite struct ObjectNamesTests {
    /// In the order of the COCO detection challenge.
    private static let coco = """
        person bicycle car motorcycle airplane bus train truck boat traffic_light fire_hydrant stop_sign parking_meter
        bench bird cat dog horse sheep cow elephant bear zebra giraffe backpack umbrella handbag tie suitcase frisbee
        skis snowboard sports_ball kite baseball_bat baseball_glove skateboard surfboard tennis_racket bottle wine_glass
        cup fork knife spoon bowl banana apple sandwich orange broccoli carrot hot_dog pizza donut cake chair couch
        potted_plant bed dining_table toilet tv laptop mouse remote keyboard cell_phone microwave oven toaster sink
        refrigerator book clock vase scissors teddy_bear hair_drier toothbrush
        """.split { $0.isWhitespace }.map(String.init)

    /// Words that are the same in both languages.
    private static let same: Set = [
        "agama", "banjo", "burrito", "espresso", "flamingo", "frisbee", "gorilla", "guacamole", "impala", "indri",
        "kimono", "koala", "marimba", "oboe", "okapi", "pizza", "radio", "sombrero", "stupa", "triceratops",
    ]

    let encyclopaedia: Encyclopaedia
    let heads: [String: [String]]

    init() throws {
        encyclopaedia = try Bundled.encyclopaedia.get()
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let manifest = try JSONSerialization.jsonObject(
            with: Data(contentsOf: root.appending(path: "Models/menagerie/manifest.json")))
        let heads = try #require((manifest as? [String: Any])?["heads"] as? [String: Any])
        self.heads = heads.compactMapValues {
            $0 as? [String] ?? ($0 as? [String: Any])?["labels"] as? [String]
        }
    }

    @Test func everyLabelOfTheEmbeddedModelHasANameInBothLanguages() throws {
        #expect(heads.keys.sorted() == ["cats", "dogs", "drawings", "fruit", "kinds", "objects", "presence", "zoo"])
        #expect(heads["objects"]?.count == 1019)
        // Classes that mean "none of these" are never answered.
        let background: Set = ["another_breed", "none", "photo"]
        for (head, labels) in heads {
            for label in labels where !background.contains(label) && !label.hasPrefix("another_") {
                let names = encyclopaedia.names
                let key =
                    switch head {
                    case "kinds": names.kinds[label]
                    case "drawings": names.drawings[label]
                    default: names.objects[label] ?? names.boxes[label]
                    }
                #expect(encyclopaedia[label]?.name.fi != nil || key != nil, "\(head): \(label)")
            }
        }
    }

    @Test func everyClassOfTheDetectorAndEveryWiderWordForARegionHasAName() {
        #expect(Self.coco.count == 80)
        let wider = ["other", "other_animal", "animal", "wild_cat", "wild_dog", "toy"]
        #expect(Set(encyclopaedia.names.boxes.keys) == Set(Self.coco + wider))
    }

    @Test func namesOfObjectsAreThoseOfLabelsThatExist() throws {
        let labels = Set(try #require(heads["objects"]))
        for label in encyclopaedia.names.objects.keys { #expect(labels.contains(label), "\(label)") }
    }

    @Test func finnishIsNotEnglishByAccident() {
        for list in [encyclopaedia.names.objects, encyclopaedia.names.boxes] {
            for (label, name) in list {
                let english = (name.en ?? label.replacing("_", with: " ")).lowercased()
                #expect((name.fi.lowercased() == english) == Self.same.contains(label), "\(label): \(name.fi)")
            }
        }
    }

    @Test func namesAreWrittenAsInRunningText() {
        let properNames: Set = ["granny_smith", "model_t"]
        for list in [encyclopaedia.names.objects, encyclopaedia.names.boxes] {
            for (label, name) in list {
                #expect(name.fi.first?.isLowercase == true || properNames.contains(label), "\(label): \(name.fi)")
                #expect(!name.fi.isEmpty && name.fi.trimmingCharacters(in: .whitespaces) == name.fi, "\(label)")
                #expect(
                    !name.fi.contains("_") && name.en?.contains("_") != true && name.en?.isEmpty != true, "\(label)")
            }
        }
    }

    @Test func twoThingsShareANameOnlyWhereTheyAreOne() {
        let meant: Set = ["aurinkolasit", "kannettava tietokone"]
        for list in [encyclopaedia.names.objects, encyclopaedia.names.boxes] {
            var owners: [String: String] = [:]
            for (label, name) in list where !meant.contains(name.fi) {
                let owner = owners.updateValue(label, forKey: name.fi)
                #expect(owner == nil, "\(label) and \(owner ?? ""): \(name.fi)")
            }
        }
    }

    @Test(arguments: [
        ("kite", LabelOrigin.head("objects"), "Kite (bird)", "Haarahaukka"),
        ("kite", .box, "Kite", "Leija"),
        ("cardigan", .head("objects"), "Cardigan (garment or corgi)", "Neuletakki tai welsh corgi cardigan"),
        ("cardigan", .head("dogs"), "Cardigan Welsh Corgi", "Welsh corgi cardigan"),
        ("snow_leopard", .head("objects"), "Snow leopard", "Lumileopardi"),
        ("crane", .head("objects"), "Crane (bird or machine)", "Kurki tai nosturi"),
        ("traffic light", .box, "Traffic lights", "Liikennevalot"),
        ("Go-kart", .head("classes"), "Go-kart", "Mikroauto"),
        ("apple", .box, "Apple", "Omena"),
        ("some_new_thing", .head("objects"), "Some new thing", "Some new thing"),
    ])
    func theOriginOfALabelDecidesWhatItMeans(label: String, origin: LabelOrigin, english: String, finnish: String) {
        #expect(encyclopaedia.name(label, from: origin, in: .english) == english)
        #expect(encyclopaedia.name(label, from: origin, in: .finnish) == finnish)
    }
}
