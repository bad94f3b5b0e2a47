import Foundation
import TestSupport
import Testing

/// Answers for everyday photos: fruit, people, and objects that a head does not know.
@Suite("Everyday photos", .enabled(if: SharedFolder.isThere), .timeLimit(.minutes(5))) struct EverydayPhotoTests {
    private static let fruits = ["apple", "avocado", "banana", "plum", "strawberry"]

    private func bytes(_ url: URL) throws -> [UInt8] { [UInt8](try Data(contentsOf: url)) }

    /// Photos of full size, all of one class.
    private func sharp(_ group: String, _ label: String, _ count: Int) throws -> [[UInt8]] {
        let folder = SharedFolder.url.appending(path: "data/sharp/\(group)/\(label)")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.sorted { $0.path < $1.path }.prefix(count).map(bytes)
    }

    private func rows(_ answer: [String: any Sendable], _ key: String = "predictions") -> [[String: any Sendable]] {
        answer[key] as? [[String: any Sendable]] ?? []
    }

    @Test func fruitAnswersForItsFruits() async throws {
        try await withService { service in
            var right = 0
            for fruit in Self.fruits {
                for photo in try SharedFolder.photos("fruit", fruit).prefix(10) {
                    let answer = try await service.classify(bytes(photo)).object()
                    if answer["head"] as? String == "fruit", rows(answer).first?["label"] as? String == fruit {
                        right += 1
                    }
                }
            }
            // The model is right for 253 of the 260 photos that its training held out.
            #expect(right >= 47, "\(right) of 50")
        }
    }

    @Test func otherThingsAreNoFruit() async throws {
        try await withService { service in
            var photos: [[UInt8]] = []
            for label in ["teddy", "pizza", "stop_sign", "sunflower", "brain", "soccer_ball", "people", "cup"] {
                photos += try sharp("object", label, 6)
            }
            for label in ["adder", "alpaca", "zebra", "tiger"] { photos += (try? sharp("animal", label, 5)) ?? [] }
            #expect(photos.count >= 50)
            for photo in photos {
                let answer = try await service.classify(photo, type: "image/avif").object()
                #expect(answer["head"] as? String != "fruit", "\(rows(answer))")
            }
        }
    }

    /// ImageNet has no class for these animals. The model has seen the photos.
    @Test func commonAnimalsHaveTheirNames() async throws {
        try await withService { service in
            for (label, finnish) in [("giraffe", "Kirahvi"), ("rhinoceros", "Sarvikuono"), ("kangaroo", "Kenguru")] {
                var right = 0
                for photo in try SharedFolder.photos("animal", label).prefix(10) {
                    let answer = try await service.classify(bytes(photo), query: "lang=fi").object()
                    let first = rows(answer).first
                    if first?["label"] as? String == label, first?["name"] as? String == finnish { right += 1 }
                }
                #expect(right >= 8, "\(right) of 10 photos: \(label)")
            }
        }
    }

    @Test func noneIsNeverAnswered() async throws {
        let dog = try bytes(SharedFolder.photos("dog", "pug")[0])
        try await withService { service in
            for head in ["fruit", "zoo", "cats"] {
                for language in ["en", "fi"] {
                    let query = "heads=\(head)&top=1000&lang=\(language)"
                    let saved = try await service.classify(dog, query: query).object()
                    #expect(saved["head"] as? String == head && saved["abstained"] as? Bool == true)
                    let all = rows(saved) + ((saved["heads"] as? [String: [[String: any Sendable]]])?[head] ?? [])
                    #expect(!all.contains { ["none", "another_breed"].contains($0["label"] as? String) })
                    let message = try #require(saved["message"] as? String)
                    #expect(message.hasSuffix(rows(saved).isEmpty ? "." : ":"), "\(message)")
                    // The history can store, list and return it.
                    let id = try #require(saved["id"] as? String)
                    let scan = try await service.request("GET", "/history/\(id)?lang=\(language)").object()
                    #expect(rows(scan).count == rows(saved).count && scan["message"] as? String == message)
                    _ = try await service.request("DELETE", "/history/\(id)")
                }
            }
        }
    }

    @Test func everyBreedAboveZeroPerCentCanBeHadAndNoOther() async throws {
        let dog = try bytes(SharedFolder.photos("dog", "pug")[0])
        try await withService { service in
            for (query, most) in [
                ("heads=dogs&top=120", 120), ("heads=objects&top=1000", 1000), ("heads=all&top=1000", 1000),
            ] {
                let answer = try await service.classify(dog, query: "save=false&" + query)
                #expect(answer.status == 200, "\(answer.text)")
                let heads = try #require(try answer.object()["heads"] as? [String: [[String: any Sendable]]])
                for list in try Array(heads.values) + [rows(answer.object())] {
                    #expect(list.count <= most)
                    #expect(!list.contains { $0["percent"] as? String == "0.0%" })
                    let shares = list.compactMap { $0["confidence"] as? Double }
                    #expect(shares == shares.sorted(by: >))
                }
            }
            // A drawing of a cat resembles many dogs slightly.
            let drawing = try #require(ClassifyTests.drawing)
            let many = rows(try await service.classify(drawing, query: "save=false&heads=dogs&top=120").object())
            #expect(many.count > 10 && many.count < 120, "\(many.count)")
            #expect(try await service.classify(dog, query: "save=false&top=1001").status == 400)
        }
    }

    @Test func aPersonIsCalledAPersonWhereThereIsADetector() async throws {
        let people = try sharp("object", "people", 24)
        let cat = try bytes(SharedFolder.photos("cat", "maine_coon")[1])
        try await ServiceWithModels.with(squeezenets: ["small"]) { all in
            var named = 0
            for photo in people {
                let answer = try await all.service.classify(photo, type: "image/avif").object()
                guard rows(answer).first?["label"] as? String == "person" else { continue }
                named += 1
                #expect(answer["head"] as? String == "objects" && answer["species"] as? String == "other")
                #expect(answer["abstained"] as? Bool == false && rows(answer)[0]["name"] as? String == "Person")
                let boxes = rows(answer, "boxes")
                // The network itself recognises most of them. No detector is asked then.
                #expect(boxes.isEmpty || boxes.count == 1 && boxes[0]["label"] as? String == "person")
                #expect(rows(answer).reduce(0) { $0 + ($1["confidence"] as? Double ?? 0) } < 1.001)
            }
            // The model is right for 159 of all 180 photos of people.
            #expect(named >= 18, "\(named) of 24")
            let twice = try await all.service.classify(people[0], type: "image/avif").predictions()
            #expect(try await all.service.classify(people[0], type: "image/avif").predictions() == twice)
            // A requested head or model always answers.
            for query in ["heads=objects", "model=small"] {
                let answer = try await all.service.classify(
                    people[0], query: "save=false&\(query)", type: "image/avif"
                ).object()
                #expect(rows(answer).first?["label"] as? String != "person" && answer["boxes"] == nil)
            }
            let animal = try await all.service.classify(cat).object()
            #expect(animal["head"] as? String == "cats" && animal["boxes"] == nil)
        }
        // Without a detector the network alone decides.
        try await ServiceWithModels.with(squeezenets: [], detector: false) { all in
            let answer = try await all.service.classify(people[0], type: "image/avif").object()
            #expect(rows(answer).first?["label"] as? String == "person" && answer["boxes"] == nil)
        }
    }
}
