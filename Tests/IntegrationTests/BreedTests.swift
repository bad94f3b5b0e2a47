import Foundation
import TestSupport
import Testing

@Suite struct BreedTests {
    @Test func mistypedNamesAndPathsAreAnsweredWithWhatIsNear() async throws {
        try await withService { service in
            for (method, target, expected) in [
                ("GET", "/breeds/siamees", "siamese"), ("GET", "/breeds/maincoon", "maine_coon"),
                ("GET", "/breeds/siamilainen", "siamese"), ("GET", "/breeds/german_shepard/photos", "german_shepherd"),
                ("PUT", "/breeds/siamees/favourite", "siamese"), ("GET", "/bredes", "/breeds"),
                ("GET", "/breds/siamese", "/breeds/siamese"), ("GET", "/clasify", "/classify"),
            ] {
                let answer = try await service.request(method, target, body: method == "PUT" ? [] : nil)
                #expect(answer.status == 404 && answer.headers["content-type"] == "application/problem+json")
                let problem = try answer.object()
                #expect((problem["near"] as? [String])?.first == expected, "\(target): \(answer.text)")
                #expect((problem["detail"] as? String)?.contains("Did you mean “\(expected)”") == true)
            }
            let typed = try await service.request("POST", "/clasify", body: [])
            let near = try typed.object()["near"] as? [String]
            #expect(typed.status == 404 && near == ["/classify"])
            for target in ["/breeds/xyzzyxyzzy", "/breeds/\(String(repeating: "a", count: 4000))", "/nothing/at/all"] {
                let answer = try await service.request("GET", target)
                #expect(try answer.status == 404 && answer.object()["near"] == nil, "\(answer.text)")
            }
        }
    }

    @Test func articlesAreInTheLanguageAskedFor() async throws {
        try await withService { service in
            let english = try await service.request("GET", "/breeds/snow_leopard").object()
            #expect(english["name"] as? String == "Snow leopard" && english["language"] as? String == "en")
            let finnish = try await service.request("GET", "/breeds/snow_leopard?lang=fi").object()
            #expect(finnish["name"] as? String == "Lumileopardi" && finnish["language"] as? String == "fi")
            #expect(finnish["description"] as? String != english["description"] as? String)
            for id in ["golden_retriever", "siamese"] {
                let pet = try await service.request("GET", "/breeds/\(id)?lang=fi").object()
                #expect(pet["language"] as? String == "fi", "\(id)")
                #expect((pet["description"] as? String)?.contains("ä") == true, "\(id)")
            }
            let accepted = try await service.request(
                "GET", "/breeds/snow_leopard", headers: [("Accept-Language", "sv, fi;q=0.8, en;q=0.5")])
            #expect(accepted.headers["content-language"] == "fi")
            #expect(accepted.headers["vary"]?.contains("Accept-Language") == true)
        }
    }

    @Test func articlesAreNotSentTwice() async throws {
        try await withService { service in
            let first = try await service.request("GET", "/breeds/siamese")
            let tag = try #require(first.headers["etag"])
            let again = try await service.request("GET", "/breeds/siamese", headers: [("If-None-Match", tag)])
            #expect(again.status == 304 && again.body.isEmpty)
            let other = try await service.request("GET", "/breeds/siamese?lang=fi", headers: [("If-None-Match", tag)])
            #expect(other.status == 200)
            let head = try await service.request("HEAD", "/breeds/siamese")
            #expect(head.status == 200 && head.body.isEmpty)
            #expect(head.headers["content-length"] == "\(first.body.count)")
        }
    }

    @Test func pagesLeadThroughTheWholeList() async throws {
        try await withService { service in
            var ids: [String] = []
            var target = "/breeds?limit=100"
            var total = 0
            while true {
                let page = try await service.request("GET", target)
                let object = try page.object()
                total = object["total"] as? Int ?? 0
                ids += (object["items"] as? [[String: any Sendable]] ?? []).compactMap { $0["id"] as? String }
                guard let cursor = object["next_cursor"] as? String else { break }
                let link = try #require(page.headers["link"])
                #expect(link.hasSuffix("; rel=\"next\"") && link.contains("limit=100"))
                let allowed = CharacterSet.alphanumerics
                target =
                    "/breeds?limit=100&cursor=\(cursor.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")"
            }
            #expect(ids.count == total && Set(ids).count == total && total >= 244)
        }
    }

    @Test func filtersNarrowTheList() async throws {
        try await withService { service in
            let page = try await service.request("GET", "/breeds?species=dog&group=herding&trait=energy:4-5&limit=100")
            let items = try #require(try page.object()["items"] as? [[String: any Sendable]])
            #expect(!items.isEmpty)
            #expect(items.allSatisfy { $0["species"] as? String == "dog" && $0["group"] as? String == "herding" })
            let both = try await service.request("GET", "/breeds?trait=energy:1-3&trait=energy:3-5&limit=100").object()
            let three = try await service.request("GET", "/breeds?trait=energy:3&limit=100").object()
            #expect(both["total"] as? Int == three["total"] as? Int)
            let none = try await service.request("GET", "/breeds?trait=energy:1-2&trait=energy:4-5").object()
            #expect(none["total"] as? Int == 0)
            let found = try await service.request("GET", "/breeds?q=siamise").object()
            #expect((found["items"] as? [[String: any Sendable]])?.first?["id"] as? String == "siamese")
        }
    }
}
