import Testing

@testable import Encyclopaedia

/// The Finnish texts use fixed terms. Each English term has the same Finnish term in every article, and each animal has
/// the name from its own article.
@Suite struct FinnishTermsTests {
    /// An English term, and the beginnings of its Finnish words. One of them must occur in the same paragraph.
    private struct Term {
        let english: [String]
        let finnish: [String]
        var species: Set<String> = []

        init(_ english: [String], _ finnish: [String], of species: Set<String> = []) {
            (self.english, self.finnish, self.species) = (english, finnish, species)
        }
    }

    private static let terms = [
        // Coats and colours.
        Term(["undercoat", "underwool"], ["pohja"]),
        Term(["guard hair", "guard hairs"], ["peitinkarv"]),
        Term(["double coat"], ["kaksinkertai", "kaksikerros", "kaksi karvakerrosta"]),
        Term(["topknot"], ["otsatupsu", "otsatöyhtö", "otsatuk", "töyhtö"]),
        Term(["brindle"], ["juovik"]),
        Term(["sable"], ["soopel"], of: ["dog"]),
        Term(["tricolour", "tricoloured"], ["kolmivär"], of: ["dog"]),
        Term(["merle", "merles"], ["merle"]),
        Term(["harlequin", "harlequins"], ["harlekiini"]),
        Term(["wheaten"], ["vehnä"], of: ["dog"]),
        Term(["black and tan"], ["mustarusk", "ruskein merkein", "ruskeat merkit", "black and tan"], of: ["dog"]),
        Term(["ticked", "ticking"], ["tika", "tikk"], of: ["cat"]),
        Term(["ticked", "ticking"], ["pilk"], of: ["dog"]),
        Term(["colourpoint", "coloured points", "pointed"], ["naamio"], of: ["cat"]),
        Term(["tabby"], ["tabby", "raidalli"], of: ["cat"]),
        Term(["tortoiseshell", "tortie"], ["kilpikonna"], of: ["cat"]),
        Term(["amber"], ["meripih", "keltai"]),
        Term(["aqua"], ["vedenvihre"]),
        // The body.
        Term(["mask"], ["naamio"], of: ["dog"]),
        Term(["dewclaw", "dewclaws"], ["kannu"]),
        Term(["undershot"], ["alapur"]),
        Term(["ear tufts", "tufted ears"], ["korvatups", "tupsu", "töyhtökorv"]),
        // Health.
        Term(["hip dysplasia"], ["lonk"]),
        Term(["bloat", "gastric torsion"], ["mahalaukun"]),
        Term(["patella", "kneecap", "kneecaps"], ["polvilumpio"]),
        Term(["progressive retinal atrophy"], ["verkkokalvon surkastum", "pra"]),
        Term(["hypertrophic cardiomyopathy"], ["hypertrofi"]),
        Term(["dilated cardiomyopathy"], ["dilatoiva"]),
        Term(["polycystic kidney", "polycystic kidneys"], ["polykysti"]),
        Term(["hypothyroidism"], ["kilpirauha"]),
        Term(["cataract", "cataracts"], ["kaihi"]),
        Term(["deafness"], ["kuuro"]),
        Term(["spayed", "neutered", "neutering"], ["leik", "leika"]),
        // Breeding and care.
        Term(
            ["wrote the standard", "write the standard", "drew up a standard", "drew up standards"], ["rotumääritelm"]),
        Term(["championship", "championships"], ["mestaru"]),
        Term(["studbook", "stud book"], ["kantakirj"]),
        Term(["recessive"], ["peittyv"]),
        Term(["hand strip", "hand stripping"], ["nyppi", "nypit"]),
        Term(["bitches"], ["nart"], of: ["dog"]),
        // The categories of the Red List.
        Term(["near threatened"], ["silmälläpidettäv"]),
        Term(["critically endangered"], ["äärimmäisen uhanalai"]),
    ]

    /// Names of animals that have another meaning in these texts: the Himalaya, a snowshoe, the Scottish border.
    private static let others: Set = [
        "red_panda: himalayan", "tibetan_mastiff: himalayan", "wolverine: snowshoe", "lhasa: snowshoe",
        "dandie_dinmont: border_terrier", "leonberg: saint_bernard", "eskimo_dog: siberian",
        "japanese_bobtail: calico",
    ]

    /// Forms of *koiras*, a male, that are not forms of *koira*, a dog.
    private static let koiras: Set = ["koiras", "koiraat", "koiraalla", "koiraalle", "koiraiden", "koiraspoikaset"]

    let encyclopaedia: Encyclopaedia

    init() throws {
        encyclopaedia = try Bundled.encyclopaedia.get()
    }

    @Test func aTermIsTheSameInEveryArticle() {
        let texts = encyclopaedia.articles.flatMap { article in
            article.paragraphs.map {
                (article, english: Words($0.english).spaced, finnish: Words($0.finnish).spaced)
            }
        }
        for term in Self.terms {
            let found = texts.filter { article, english, _ in
                (term.species.isEmpty || term.species.contains(article.species))
                    && term.english.contains { english.contains(" \($0) ") }
            }
            #expect(!found.isEmpty, "no article says \(term.english)")
            for (article, _, finnish) in found {
                // The term may be the second part of a compound, such as "ruskeanaamio".
                #expect(
                    term.finnish.contains { finnish.contains($0) }, "\(article.id): \(term.english) in \(finnish)")
            }
        }
    }

    @Test func anAnimalIsCalledByTheNameOfItsArticle() {
        var byName: [[String]: Article] = [:]
        for article in encyclopaedia.articles { byName[Words(article.name.en).singular] = article }
        let longest = byName.keys.map(\.count).max() ?? 0
        var mentions = 0
        for article in encyclopaedia.articles {
            for (english, finnish) in article.paragraphs {
                let words = Words(english).singular
                let finnish = Words(finnish).spaced
                var start = 0
                while start < words.count {
                    let lengths = (1...min(longest, words.count - start)).reversed()
                    let length = lengths.first { byName[Array(words[start..<start + $0])] != nil } ?? 1
                    if let other = byName[Array(words[start..<start + length])], other.id != article.id,
                        !Self.others.contains("\(article.id): \(other.id)")
                    {
                        mentions += 1
                        #expect(other.isNamed(in: finnish), "\(article.id): \(other.name.en) in \(finnish)")
                    }
                    start += length
                }
            }
        }
        #expect(mentions > 500)
    }

    /// Dogs have *nartut*. Cats have *kollit* and *naaraat*. Males of mammals are *urokset*, those of birds, snakes and
    /// frogs *koiraat*. Two colours side by side are *mustaruskea*. A brownish black would be *mustanruskea*.
    @Test func wordsForTheSexesAndForTwoColoursAreRight() {
        for article in encyclopaedia.articles where article.kind != .fruit {
            let isMammal = article.group == "mammal" || ["cat", "dog"].contains(article.species)
            for (_, text) in article.paragraphs {
                let words = Words(text)
                for word in words.all {
                    let isWrong =
                        word.hasPrefix("mustanruske") || (isMammal && Self.koiras.contains(word))
                        || (!isMammal && (word.hasPrefix("uros") || word.hasPrefix("urok")))
                        || (article.species == "dog" && article.kind == .breed && word.hasPrefix("naara"))
                        || (article.species == "cat" && word.hasPrefix("nart"))
                    #expect(!isWrong, "\(article.id): \(word)")
                }
            }
        }
    }
}

/// The words of a text in lower case, so that commas and hyphens do not matter.
private struct Words {
    let all: [String]

    init(_ text: String) {
        all = text.lowercased().split { !$0.isLetter }.map(String.init)
    }

    /// The words with spaces before, between and after them.
    var spaced: String { " " + all.joined(separator: " ") + " " }

    /// The words without a plural "s", which is enough for comparing names.
    var singular: [String] { all.map { $0.count > 3 && $0.hasSuffix("s") ? String($0.dropLast()) : $0 } }
}

extension Article {
    /// Every text in both languages, the description paragraph by paragraph.
    fileprivate var paragraphs: [(english: String, finnish: String)] {
        let english = description.en.split(separator: "\n\n").map(String.init)
        let finnish = (description.fi ?? "").split(separator: "\n\n").map(String.init)
        let others = [summary] + sections.values + lookAlikes.map(\.howToTell)
        return Array(zip(english, finnish)) + others.map { ($0.en, $0.fi ?? "") }
    }

    /// Whether the text contains the Finnish name or an alias, in any case. The text's words have spaces around them.
    fileprivate func isNamed(in text: String) -> Bool {
        ([name.fi ?? ""] + aliases.fi).contains { name in
            Words(name).all.allSatisfy { text.contains($0.dropLast($0.count > 5 ? 3 : 1)) }
        }
    }
}
