import Base
import Encyclopaedia
import Foundation
import Imaging
import Testing

@testable import Imaging

@Suite("Letters") struct GlyphTests {
    private static let models = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Models")
        .standardized

    /// Every name of an animal or object in the product, in both languages.
    private func names() throws -> Set<String> {
        let encyclopaedia = try Encyclopaedia.bundled()
        var names: Set<String> = []
        for article in encyclopaedia.articles {
            for language in Language.allCases { names.insert(article.name[language]) }
            names.insert(article.id)
        }
        for label in try labels() {
            names.insert(label)
            for language in Language.allCases {
                for origin in [LabelOrigin.box, .head("objects"), .head("kinds"), .unknown] {
                    names.insert(encyclopaedia.name(label, from: origin, in: language))
                }
            }
        }
        return names
    }

    /// The labels of all heads and detectors of the shipped models.
    private func labels() throws -> Set<String> {
        var labels: Set<String> = []
        func collect(_ value: Any) {
            if let object = value as? [String: Any] {
                for (key, value) in object {
                    if key == "labels", let list = value as? [String] { labels.formUnion(list) } else { collect(value) }
                }
            } else if let list = value as? [Any] {
                for value in list { collect(value) }
            }
        }
        for name in try FileManager.default.contentsOfDirectory(atPath: Self.models.path) {
            guard let data = try? Data(contentsOf: Self.models.appending(path: name + "/manifest.json")) else {
                continue
            }
            collect(try JSONSerialization.jsonObject(with: data))
        }
        return labels
    }

    @Test func `every letter of every name is drawn with its marks`() throws {
        let names = try names()
        #expect(names.count > 900)
        var missing: [Character: String] = [:]
        for name in names {
            for letter in name.uppercased() where !Glyphs.has(letter) { missing[letter] = name }
        }
        #expect(missing.isEmpty, "\(missing)")
        for name in ["Petit Brabançon", "Mantšuriankurki", "Vicuña", "Phalène"] {
            #expect(name.uppercased().allSatisfy(Glyphs.has), "\(name)")
        }
    }

    @Test func `letters differ from one another, and from those without a mark`() {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZÅÄÖÁÇÈÉÍÑÓŠÚÜŽ0123456789")
        for (index, letter) in letters.enumerated() {
            #expect(Glyphs.rows(of: letter).count == Glyphs.height)
            for other in letters[(index + 1)...] where !(letter == "O" && other == "0") {
                #expect(Glyphs.rows(of: letter) != Glyphs.rows(of: other), "\(letter) \(other)")
            }
        }
    }

    @Test func `a mark that is not known costs the mark, a letter that is not known is a question mark`() {
        #expect(Glyphs.rows(of: "Ő") == Glyphs.rows(of: "O"))
        #expect(Glyphs.rows(of: "Ș") == Glyphs.rows(of: "S"))
        #expect(Glyphs.rows(of: "猫") == Glyphs.rows(of: "犬"))
        #expect(Glyphs.rows(of: "猫") != Glyphs.rows(of: " "))
    }
}
