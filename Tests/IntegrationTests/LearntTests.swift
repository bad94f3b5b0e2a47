import Base
import Foundation
import TestSupport
import Testing

/// Learnt individuals and added heads, which answer beside the model.
@Suite(.serialized) struct LearntTests {
    private func scan(_ service: LiveService, _ photo: [UInt8]) async throws -> String {
        let answer = try await service.classify(photo, query: "", type: "image/bmp").object()
        return try #require(answer["id"] as? String)
    }

    private func name(_ service: LiveService, _ id: String, _ name: String) async throws {
        let answer = try await service.request(
            "PATCH", "/history/\(id)", headers: [("Content-Type", "application/json")],
            body: Array(#"{"individual": "\#(name)"}"#.utf8))
        #expect(answer.status == 200 && answer.text.contains(#""individual":"\#(name)""#), "\(answer.text)")
    }

    /// Waits until the list has learnt this many photos.
    private func learnt(_ service: LiveService, photos: Int) async throws -> [String: any Sendable] {
        while true {
            let list = try await service.request("GET", "/individuals").object()
            let items = list["items"] as? [[String: any Sendable]] ?? []
            let count = items.reduce(0) { $0 + ($1["photos"] as? Int ?? 0) }
            if count == photos, ["ready", "empty"].contains(list["state"] as? String ?? "") { return list }
            try #require(list["state"] as? String != "failed", "\(list)")
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// A camera's answer for a photo, and the scan that it stores.
    private func look(
        _ service: LiveService, at photo: [UInt8]
    ) async throws -> (answer: [String: any Sendable], scan: [String: any Sendable]) {
        let port = service.port
        let (answer, url) = try await onThread {
            let camera = try CameraClient(port: port, query: "detect=false")
            let answer = try camera.look(at: photo)
            try camera.send(#"{"type":"keep"}"#)
            return (answer, try #require(try camera.receive("kept")["url"] as? String))
        }
        return (answer, try await service.request("GET", url).object())
    }

    @Test func whoIsThis() async throws {
        try await TrainingBench.withTraining { service in
            let before = try await service.classify(Pictures.disc(seed: 1), query: "save=false", type: "image/bmp")
            #expect(try before.object()["individual"] == nil)
            var ids: [String] = []
            for seed in 0..<3 {
                ids.append(try await scan(service, Pictures.disc(seed: seed)))
                try await name(service, ids[ids.count - 1], "Misu")
                ids.append(try await scan(service, Pictures.stripes(seed: seed)))
                try await name(service, ids[ids.count - 1], "Felix")
            }
            let now = try await service.request("GET", "/individuals").object()
            #expect(now["total"] as? Int == 2 && now["state"] as? String == "learning", "\(now)")
            let list = try await learnt(service, photos: 6)
            #expect(list["total"] as? Int == 2, "\(list)")
            #expect((list["quality"] as? [String: any Sendable])?["accuracy"] as? Double == 1, "\(list)")
            for (photo, name) in [(Pictures.disc(seed: 70), "Misu"), (Pictures.stripes(seed: 71), "Felix")] {
                let answer = try await service.classify(photo, query: "save=false", type: "image/bmp").object()
                let individual = try #require(answer["individual"] as? [String: any Sendable], "\(answer)")
                #expect(individual["name"] as? String == name)
                #expect(individual["message"] as? String == "This is \(name).")
                #expect((individual["candidates"] as? [any Sendable])?.count == 2)
            }
            let stranger = try await service.classify(
                Array(Data(contentsOf: LiveService.package.appending(path: "Tests/Photos/cat.jpg"))),
                query: "save=false"
            ).object()
            let unknown = try #require(stranger["individual"] as? [String: any Sendable], "\(stranger)")
            #expect(unknown["name"] is NSNull, "\(unknown)")

            // A camera recognises the animal too, and its stored scan has the name.
            let (seen, kept) = try await look(service, at: Pictures.disc(seed: 73))
            #expect((seen["individual"] as? [String: any Sendable])?["name"] as? String == "Misu", "\(seen)")
            let answer = kept["individual_answer"] as? [String: any Sendable]
            #expect(answer?["name"] as? String == "Misu" && kept["individual"] == nil, "\(kept)")
            #expect(
                try await service.request("DELETE", try #require(kept["url"] as? String)).status == 204)

            let misu = try await service.request("GET", "/history?individual=Misu").object()
            #expect(misu["total"] as? Int == 3)
            // The names are deleted and exported with the history.
            let archive = try await service.request("GET", "/history/export?format=zip")
            #expect(try await service.request("DELETE", "/history").status == 204)
            _ = try await learnt(service, photos: 0)
            let imported = try await service.request(
                "POST", "/history/import", headers: [("Content-Type", "application/zip")], body: archive.body)
            #expect(try imported.object()["imported"] as? Int == 6, "\(imported.text)")
            _ = try await learnt(service, photos: 6)
            let known = try await service.classify(Pictures.disc(seed: 72), query: "", type: "image/bmp", key: "misu")
            #expect(known.text.contains(#""individual":{"name":"Misu""#), "\(known.text)")
            // Removed names are forgotten.
            for id in ids {
                let cleared = try await service.request(
                    "PATCH", "/history/\(id)", headers: [("Content-Type", "application/json")],
                    body: Array(#"{"individual": null}"#.utf8))
                #expect(cleared.status == 200)
            }
            _ = try await learnt(service, photos: 0)
            let after = try await service.classify(Pictures.disc(seed: 1), query: "save=false", type: "image/bmp")
            #expect(try after.object()["individual"] == nil)
            // A repeated request with the same key returns the old answer, from when the name was known.
            let again = try await service.classify(Pictures.disc(seed: 72), query: "", type: "image/bmp", key: "misu")
            #expect(again.headers["idempotent-replayed"] == "true" && again.body == known.body, "\(again.text)")
            let wrong = try await service.request(
                "PATCH", "/history/\(ids[0])", headers: [("Content-Type", "application/json")],
                body: Array(#"{"individual": "a/b"}"#.utf8))
            #expect(wrong.status == 400 || wrong.status == 422, "\(wrong.text)")
            #expect(wrong.text.contains("individual"), "\(wrong.text)")
        }
    }

    @Test func aHeadIsAddedToTheModelsAnswer() async throws {
        try await TrainingBench.withTraining { service in
            let record = try await TrainingBench.end(
                service, TrainingBench.begin(service, Pictures.files(count: 10), query: "name=added"))
            let url = try #require(record["url"] as? String, "\(record)")
            let photo = Pictures.disc(seed: 90)
            func added() async throws -> [String: any Sendable]? {
                try await service.classify(photo, query: "save=false", type: "image/bmp").object()["added"]
                    as? [String: any Sendable]
            }
            #expect(try await service.request("PUT", url + "/deployment", body: []).status == 200)
            #expect(try await added() == nil)
            let attached = try await service.request("PUT", url + "/deployment?attach=true", body: []).object()
            #expect((attached["result"] as? [String: any Sendable])?["attached"] as? Bool == true, "\(attached)")
            let head = try #require(try await added()?["added"] as? [String: any Sendable])
            let predictions = try #require(head["predictions"] as? [[String: any Sendable]])
            #expect(predictions.first?["label"] as? String == "disc" && head["version"] as? String == "1")
            #expect(head["unknown"] as? Bool == false)
            // A photo unlike every class gets none of them.
            let stranger =
                try await service.classify(
                    try #require(ClassifyTests.drawing), query: "save=false"
                ).object()["added"] as? [String: any Sendable]
            let none = try #require(stranger?["added"] as? [String: any Sendable])
            #expect(none["unknown"] as? Bool == true && none["abstained"] as? Bool == true, "\(none)")
            #expect((none["predictions"] as? [any Sendable])?.isEmpty == true, "\(none)")
            // The result equals the model's own, up to rounding of the sum.
            let alone = try await service.classify(photo, query: "save=false&model=added", type: "image/bmp").object()
            let confidence = (alone["predictions"] as? [[String: any Sendable]])?.first?["confidence"] as? Double
            #expect(abs((predictions.first?["confidence"] as? Double ?? 0) - (confidence ?? 1)) < 0.01)
            // Another model's answer lacks this head.
            #expect(alone["added"] == nil)
            let kept = try await service.classify(photo, query: "", type: "image/bmp", key: "added")
            #expect(kept.text.contains(#""added":{"added":{"#), "\(kept.text)")
            // The history stores the head's answer, and a camera receives it.
            func label(_ answer: [String: any Sendable]) -> String? {
                let head = (answer["added"] as? [String: any Sendable])?["added"] as? [String: any Sendable]
                return (head?["predictions"] as? [[String: any Sendable]])?.first?["label"] as? String
            }
            let id = try #require(try kept.object()["id"] as? String)
            #expect(label(try await service.request("GET", "/history/\(id)").object()) == "disc")
            let (seen, shot) = try await look(service, at: photo)
            #expect(label(seen) == "disc" && label(shot) == "disc", "\(seen) \(shot)")
            #expect(try await service.request("PUT", url + "/deployment?attach=false", body: []).status == 200)
            #expect(try await added() == nil)
            let again = try await service.classify(photo, query: "", type: "image/bmp", key: "added")
            #expect(again.headers["idempotent-replayed"] == "true" && again.body == kept.body, "\(again.text)")
            _ = try await service.request("PUT", url + "/deployment?attach=true", body: [])
            #expect(try await service.request("DELETE", url + "/deployment").status == 200)
            #expect(try await added() == nil)
            let wrong = try await service.request("PUT", url + "/deployment?attach=maybe", body: [])
            #expect(wrong.status == 400 && wrong.text.contains("attach"), "\(wrong.text)")
        }
    }

    @Test func aModelOfPhotosThatAreNearlyTheSameDoesNotKnowWhatIsFarFromThem() async throws {
        try await TrainingBench.withTraining { service in
            // The same picture with other noise, as a camera takes them that is held still.
            let files = (0..<9).map { number in
                number % 2 == 0
                    ? ("disc/\(number).bmp", Pictures.disc(seed: 2, noise: 3 + number))
                    : ("stripes/\(number).bmp", Pictures.stripes(seed: 3, noise: 3 + number))
            }
            let record = try await TrainingBench.end(
                service, TrainingBench.begin(service, files, query: "name=alike"))
            let url = try #require(record["url"] as? String, "\(record)")
            #expect(try await service.request("PUT", url + "/deployment?attach=true", body: []).status == 200)
            let known = try await service.classify(
                Pictures.disc(seed: 90), query: "save=false&model=alike", type: "image/bmp"
            ).object()
            #expect(known["abstained"] as? Bool == false, "\(known)")
            let drawing = try #require(ClassifyTests.drawing)
            let alone = try await service.classify(drawing, query: "save=false&model=alike").object()
            #expect(alone["abstained"] as? Bool == true, "\(alone)")
            #expect(alone["message"] as? String == "I am not sure, but this could be:")
            let beside = try await service.classify(drawing, query: "save=false").object()
            let added = (beside["added"] as? [String: any Sendable])?["alike"] as? [String: any Sendable]
            #expect(added?["unknown"] as? Bool == true, "\(beside)")
        }
    }
}
