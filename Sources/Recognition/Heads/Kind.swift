import Base

/// The kinds of things that the head `kinds` distinguishes, with their words in answers.
enum Kind: String, CaseIterable {
    case cat, dog, person, toy, art, bird, scene, object
    case wildCat = "wild_cat"
    case wildDog = "wild_dog"
    case otherPet = "other_pet"
    case farmAnimal = "farm_animal"
    case otherAnimal = "other_animal"

    /// The kind in words. English has its article, as after "this looks like". Finnish is in the ablative, as after
    /// "tämä näyttää".
    func words(in language: Language) -> String {
        switch (self, language) {
        case (.cat, .english): "a cat"
        case (.cat, .finnish): "kissalta"
        case (.dog, .english): "a dog"
        case (.dog, .finnish): "koiralta"
        case (.person, .english): "a person"
        case (.person, .finnish): "ihmiseltä"
        case (.toy, .english): "a toy"
        case (.toy, .finnish): "lelulta"
        case (.art, .english): "a drawing or a statue"
        case (.art, .finnish): "piirrokselta tai patsaalta"
        case (.wildCat, .english): "a wild cat"
        case (.wildCat, .finnish): "villiltä kissaeläimeltä"
        case (.wildDog, .english): "a wild relative of dogs"
        case (.wildDog, .finnish): "villiltä koiraeläimeltä"
        case (.otherPet, .english): "a pet other than a cat or a dog"
        case (.otherPet, .finnish): "muulta lemmikiltä kuin kissalta tai koiralta"
        case (.farmAnimal, .english): "a farm animal"
        case (.farmAnimal, .finnish): "maatilan eläimeltä"
        case (.bird, .english): "a bird"
        case (.bird, .finnish): "linnulta"
        case (.otherAnimal, .english): "an animal other than a cat or a dog"
        case (.otherAnimal, .finnish): "muulta eläimeltä kuin kissalta tai koiralta"
        case (.scene, .english): "a place or a view"
        case (.scene, .finnish): "paikalta tai maisemalta"
        case (.object, .english): "a thing, not an animal"
        case (.object, .finnish): "esineeltä, ei eläimeltä"
        }
    }
}
