import Foundation
import Synchronization
import TestSupport
import Testing

/// A clock that advances by a second at each reading.
private final class TickingClock: Sendable {
    private let seconds = Atomic<Int>(0)

    @Sendable func now() -> Date {
        Date(timeIntervalSince1970: 1_800_000_000 + Double(seconds.wrappingAdd(1, ordering: .relaxed).newValue))
    }
}

@Suite struct FavouriteTests {
    @Test func favouritesAreListedWithTheirArticlesNewestFirst() async throws {
        try await withOwnService(now: TickingClock().now) { service in
            #expect(try await service.request("GET", "/favourites").object()["total"] as? Int == 0)
            for id in ["siamese", "pug", "snow_leopard"] {
                #expect(try await service.request("PUT", "/breeds/\(id)/favourite", body: []).status == 204)
            }
            #expect(try await service.request("PUT", "/breeds/pug/favourite", body: []).status == 204)
            let all = try await service.request("GET", "/favourites?lang=fi")
            let items = try all.items()
            #expect(items.compactMap { $0["id"] as? String } == ["snow_leopard", "pug", "siamese"])
            let article = try #require(items[0]["article"] as? [String: any Sendable])
            #expect(article["name"] as? String == "Lumileopardi" && article["description"] is String)
            #expect(items[0]["since"] is String)

            let tag = try #require(all.headers["etag"])
            let again = try await service.request("GET", "/favourites?lang=fi", headers: [("If-None-Match", tag)])
            #expect(again.status == 304)

            #expect(try await service.request("DELETE", "/breeds/pug/favourite").status == 204)
            #expect(try await service.request("DELETE", "/breeds/pug/favourite").status == 204)
            let left = try await service.request("GET", "/favourites", headers: [("If-None-Match", tag)]).items()
            #expect(left.compactMap { $0["id"] as? String } == ["snow_leopard", "siamese"])
        }
    }

    @Test func pagesGoOnWhereTheyEndedWhateverIsMarkedMeanwhile() async throws {
        try await withOwnService(now: TickingClock().now) { service in
            for id in ["siamese", "pug", "beagle"] {
                _ = try await service.request("PUT", "/breeds/\(id)/favourite", body: [])
            }
            let first = try await service.request("GET", "/favourites?limit=2")
            #expect(try first.items().compactMap { $0["id"] as? String } == ["beagle", "pug"])
            let link = try #require(first.headers["link"])
            #expect(link.hasSuffix("; rel=\"next\""))
            _ = try await service.request("PUT", "/breeds/boxer/favourite", body: [])
            _ = try await service.request("DELETE", "/breeds/pug/favourite")
            let target = try #require(link.split(separator: ">").first?.dropFirst())
            let second = try await service.request("GET", String(target))
            #expect(try second.items().compactMap { $0["id"] as? String } == ["siamese"])
            #expect(try second.object()["next_cursor"] is NSNull)
        }
    }

    @Test(arguments: [
        ("PUT", "/breeds/unicorn/favourite", 404), ("DELETE", "/breeds/unicorn/favourite", 404),
        ("GET", "/favourites?cursor=zzz", 400), ("GET", "/favourites?colour=red", 400),
    ])
    func wrongRequestsAreProblems(method: String, target: String, status: Int) async throws {
        try await withService { service in
            let answer = try await service.request(method, target, body: method == "PUT" ? [] : nil)
            #expect(answer.status == status, "\(answer.text)")
            #expect(answer.headers["content-type"] == "application/problem+json")
        }
    }

    @Test func theCollectionTellsWhatWasMetAndWhatIsLeft() async throws {
        try await withOwnService { service in
            let photo = try #require(ClassifyTests.drawing)
            for label in ["siamese", "siamese", "pug"] {
                let id = try #require(try await service.classify(photo, query: "").object()["id"] as? String)
                let patch = #"{"corrected_label": "\#(label)"}"#
                #expect(try await service.request("PATCH", "/history/\(id)", body: Array(patch.utf8)).status == 200)
            }
            let answer = try await service.request("GET", "/collection?sort=count")
            let items = try answer.items()
            #expect(items.compactMap { $0["label"] as? String } == ["siamese", "pug"], "\(answer.text)")
            #expect(items.compactMap { $0["count"] as? Int } == [2, 1])
            let first = try #require(items[0]["first_met"] as? String)
            let last = try #require(items[0]["last_met"] as? String)
            #expect(first < last)
            let progress = try #require(try answer.object()["progress"] as? [String: any Sendable])
            #expect(progress["met"] as? Int == 2)
            let groups = try #require(progress["groups"] as? [String: [String: any Sendable]])
            let dogBreeds = try await service.request("GET", "/breeds?kind=breed&species=dog").object()["total"] as? Int
            #expect(groups["dogs"]?["met"] as? Int == 1 && groups["dogs"]?["of"] as? Int == dogBreeds)
            #expect(groups["cats"]?["met"] as? Int == 1 && groups["fruit"]?["met"] as? Int == 0)
            let sums = groups.values.reduce(0) { $0 + ($1["of"] as? Int ?? 0) }
            #expect(sums == progress["of"] as? Int)

            let dogs = try await service.request("GET", "/collection?species=dog")
            #expect(try dogs.items().count == 1 && dogs.object()["total"] as? Int == 1)
            #expect(try await service.request("GET", "/collection?sort=size").status == 400)
            let next = try #require(try await service.request("GET", "/collection?limit=1").headers["link"])
            let rest = try await service.request("GET", String(next.split(separator: ">")[0].dropFirst()))
            #expect(try rest.items().count == 1 && rest.headers["link"] == nil)
        }
    }
}
