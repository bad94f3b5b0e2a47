import Testing

@testable import Encyclopaedia

extension DogListName {
    /// The label of the dogs head; nil if no label has this name.
    fileprivate var label: String? { Self.byLabel.first { $0.value == self }?.key }
}

@Suite struct DogListTests {
    @Test(arguments: [
        ("boston_bull", "boston bulldog"), ("cardigan", "cardigan corgi"), ("shih_tzu", "shihtzu"),
        ("japanese_spaniel", "japanese spaniel"), ("maltese_dog", "maltese"), ("black_and_tan_coonhound", "coonhound"),
        ("walker_hound", "walker hound"), ("german_short_haired_pointer", "german pointer"),
        ("greater_swiss_mountain_dog", "swiss mountain"), ("african_hunting_dog", "african"),
        ("saint_bernard", "stbernard"), ("great_pyrenees", "pyrenees"), ("mexican_hairless", "mexicanhairless"),
        ("soft_coated_wheaten_terrier", "wheaten terrier"),
    ])
    func hardCasesMapBothWays(label: String, name: String) throws {
        let entry = try #require(DogListName(label: label))
        #expect(entry.description == name)
        #expect(entry.label == label)
    }

    @Test func everyDogHasItsOwnName() throws {
        let dogs = try Bundled.encyclopaedia.get().articles.filter { $0.species == "dog" }.map(\.id)
        #expect(Set(dogs) == Set(DogListName.byLabel.keys))
        #expect(Set(dogs.compactMap { DogListName(label: $0) }).count == 120)
    }

    @Test func theListHasTheFormOfDogCEO() {
        #expect(DogListName.all["bulldog"] == ["boston", "french"])
        #expect(DogListName.all["pug"] == [])
        #expect(DogListName("unicorn").label == nil)
    }
}
