import Base
import Foundation
import TestSupport
import Testing

/// A new version answers in the shadow of the deployed one: `PUT /training/{id}/deployment?shadow=true`.
@Suite(.serialized) struct ShadowTests {
    private typealias Object = [String: any Sendable]

    /// Waits until the shadow version has counted this many photos.
    private func shadow(_ service: LiveService, _ url: String, photos: Int) async throws -> Object {
        while true {
            let record = try await service.request("GET", url).object()
            let shadow = try #require((record["result"] as? Object)?["shadow"] as? Object, "\(record)")
            let counts = ["agreed", "differed", "left_out", "failed"].map { shadow[$0] as? Int ?? 0 }
            if counts.reduce(0, +) >= photos { return shadow }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func deployment(
        _ service: LiveService, _ method: String, _ url: String, _ query: String = ""
    ) async throws -> RawResponse {
        try await service.request(method, url + "/deployment" + query, body: [])
    }

    /// Trains two versions of a name. The second has the classes swapped.
    private func twoVersions(_ service: LiveService, _ name: String, secondBase: String = "") async throws -> [String] {
        let photos = Pictures.files(count: 8)
        var urls: [String] = []
        for (files, query) in [(photos, ""), (Pictures.turned(photos), secondBase)] {
            let record = try await TrainingBench.end(
                service, TrainingBench.begin(service, files, query: "name=\(name)\(query)"))
            urls.append(try #require(record["url"] as? String, "\(record)"))
        }
        return urls
    }

    @Test func theChampionAnswersAndTheChallengerIsCounted() async throws {
        try await TrainingBench.withTraining { service in
            let urls = try await twoVersions(service, "shadowed")
            let early = try await deployment(service, "PUT", urls[1], "?shadow=true")
            #expect(early.status == 409 && early.text.contains("deploy one first"), "\(early.text)")
            #expect(try await deployment(service, "PUT", urls[0]).status == 200)
            let itself = try await deployment(service, "PUT", urls[0], "?shadow=true")
            #expect(itself.status == 409 && itself.text.contains("answers for its name itself"), "\(itself.text)")
            let both = try await deployment(service, "PUT", urls[1], "?shadow=true&attach=true")
            #expect(both.status == 400 && both.text.contains("attach"), "\(both.text)")

            let begun = try await deployment(service, "PUT", urls[1], "?shadow=true")
            #expect(begun.status == 200, "\(begun.text)")
            let result = try #require(try begun.object()["result"] as? Object)
            #expect(result["deployed"] as? Bool == false && (result["shadow"] as? Object)?["agreed"] as? Int == 0)
            for seed in 0..<5 {
                let label = try await TrainingBench.label(service, Pictures.disc(seed: 800 + seed), "shadowed")
                #expect(label == "disc")
            }
            // A request for a specific version does not count as traffic of the deployed one.
            #expect(try await TrainingBench.label(service, Pictures.disc(seed: 900), "shadowed@2") == "stripes")
            let counts = try await shadow(service, urls[1], photos: 5)
            #expect(counts["differed"] as? Int == 5 && counts["agreed"] as? Int == 0, "\(counts)")
            #expect(counts["agreement"] as? Double == 0)
            let metrics = try await service.request("GET", "/metrics").text
            #expect(metrics.contains(#"menagerie_shadow_photos_total{model="shadowed",outcome="differed"} 5"#))

            let kept = try await service.request("DELETE", urls[1])
            #expect(kept.status == 409 && kept.text.contains("compared with the deployed version"), "\(kept.text)")
            // The shadow version is withdrawn, tried again and deployed.
            #expect(try await deployment(service, "DELETE", urls[1]).status == 200)
            let over = try await service.request("GET", urls[1]).object()
            #expect((over["result"] as? Object)?["shadow"] == nil)
            #expect(try await TrainingBench.label(service, Pictures.disc(seed: 901), "shadowed") == "disc")
            #expect(try await deployment(service, "PUT", urls[1], "?shadow=true").status == 200)
            let champion = try await deployment(service, "PUT", urls[1]).object()
            #expect((champion["result"] as? Object)?["deployed"] as? Bool == true)
            #expect((champion["result"] as? Object)?["shadow"] == nil, "\(champion)")
            #expect(try await TrainingBench.label(service, Pictures.disc(seed: 902), "shadowed") == "stripes")
        }
    }

    /// A shadow version on another base network runs on the photo itself, at low priority.
    @Test func aChallengerOnAnotherBaseLooksForItself() async throws {
        try await TrainingBench.withTraining { service in
            let base = try await TrainingBench.end(
                service,
                TrainingBench.begin(service, Pictures.files(count: 6, noise: 60), query: "name=otherbase&deploy=true"))
            #expect(base["state"] as? String == "done", "\(base)")
            let urls = try await twoVersions(service, "mixed", secondBase: "&base=otherbase@1")
            #expect(try await deployment(service, "PUT", urls[0]).status == 200)
            #expect(try await deployment(service, "PUT", urls[1], "?shadow=true").status == 200)
            for seed in 0..<3 {
                let label = try await TrainingBench.label(service, Pictures.stripes(seed: 850 + seed), "mixed")
                #expect(label == "stripes")
                _ = try await shadow(service, urls[1], photos: seed + 1)
            }
            let counts = try await shadow(service, urls[1], photos: 3)
            #expect(counts["differed"] as? Int == 3 && counts["failed"] as? Int == 0, "\(counts)")
            // Under load the shadow version skips photos. Every client gets the deployed version's answer.
            let clients = (0..<6).map { client in
                Task {
                    var labels: Set<String> = []
                    for seed in 0..<8 {
                        let photo = Pictures.stripes(seed: 7_000 + client * 10 + seed)
                        labels.insert(try await TrainingBench.label(service, photo, "mixed"))
                    }
                    return labels
                }
            }
            for client in clients { #expect(try await client.value == ["stripes"]) }
            let all = try await shadow(service, urls[1], photos: 51)
            #expect(all["left_out"] as? Int ?? 0 > 0 && all["failed"] as? Int == 0, "\(all)")
        }
    }
}
