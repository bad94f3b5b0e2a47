import Foundation
import TestSupport
import Testing

/// Real photos of animals and objects without an article, with answers in Finnish.
@Suite(.enabled(if: SharedFolder.isThere)) struct FinnishNamesTests {
    private func names(_ items: Any?) -> [String] {
        ((items as? [[String: any Sendable]]) ?? []).compactMap { $0["name"] as? String }
    }

    @Test(arguments: [("hammerhead", "Hammerhead shark", "Vasarahai"), ("tench", "Tench", "Suutari")])
    func objectsAreNamedInTheLanguageAskedFor(label: String, english: String, finnish: String) async throws {
        try await withOwnService { service in
            var met = false
            for file in try SharedFolder.photos("animal", label).prefix(8) {
                let photo = [UInt8](try Data(contentsOf: file))
                let answer = try await service.classify(photo, query: "heads=objects&lang=fi&top=3").object()
                let first = try #require((answer["predictions"] as? [[String: any Sendable]])?.first)
                guard first["label"] as? String == label else { continue }
                met = true
                #expect(first["name"] as? String == finnish)
                #expect(names((answer["heads"] as? [String: any Sendable])?["objects"]).first == finnish)
                let id = try #require(answer["id"] as? String)
                let saved = try await service.request("GET", "/history/\(id)?lang=fi").object()
                #expect(names(saved["predictions"]).first == finnish)
                let same = try await service.request("GET", "/history/\(id)?lang=en").object()
                #expect(names(same["predictions"]).first == english)
                let table = try await service.request("GET", "/history/export?format=csv&lang=fi")
                #expect(table.text.contains(",\(label),\(finnish),"), "\(table.text)")
                break
            }
            #expect(met, "no photo was taken for a \(label)")
        }
    }
}
