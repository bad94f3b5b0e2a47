import Foundation
import Recognition
import TestSupport
import Testing

/// Films of one animal through the whole service. Every track has the animal's name or a wider one, whatever the
/// detector alone reports. The film's final result has it too.
@Suite("Names in films", .enabled(if: SharedFolder.isThere && FilmMaker.isThere), .timeLimit(.minutes(10)))
struct NamedFilmTests {
    private struct Named {
        let label: String
        /// The breed or species. Empty if unsure.
        let kind: String
        let milliseconds: Int
        let boxes: Int
    }

    private static func alp() throws -> URL { try SharedFolder.photos("object", "alp")[0] }

    /// A film of a photo that moves across the picture and back.
    private func crossing(_ photo: URL, seconds: Double = 4) throws -> Film {
        try Film(
            seconds: seconds, rate: 25, scene: Self.alp(),
            sprites: [.init(photo, width: 240, height: 240, from: (20, 90), aSecond: (90, 0))])
    }

    /// The names of tracks that last at least half a second.
    private func names(
        _ film: Film, _ service: LiveService, _ others: [String] = ["-c:v", "libx264", "-preset", "ultrafast"]
    ) async throws -> [Named] {
        var names: [Named] = []
        try await withFilmFolder { folder in
            let file = folder.appending(path: "film.mp4")
            try await film.render(to: file, others)
            let added = try await service.addVideo([UInt8](try Data(contentsOf: file)), query: "every=10&save=false")
            #expect(added.status == 202, "\(added.text)")
            let path = try #require(added.headers["location"])
            let video = try await service.endOfVideo(path)
            #expect(video["state"] as? String == "done", "\(video)")
            let tracks = try #require(
                try await service.request("GET", path + "/tracks").object()["items"] as? [[String: any Sendable]])
            names = tracks.compactMap { track in
                guard let label = track["label"] as? String, let first = track["first_ms"] as? Int,
                    let last = track["last_ms"] as? Int, last - first >= 500
                else { return nil }
                let kind = (track["breed"] ?? track["species"]) as? [String: any Sendable]
                return Named(
                    label: label, kind: kind?["label"] as? String ?? "", milliseconds: last - first,
                    boxes: (track["boxes"] as? [any Sendable])?.count ?? 0)
            }
        }
        return names
    }

    @Test(arguments: [
        ("cat/siamese/0", "cat", "siamese"), ("dog/beagle/0", "dog", "beagle"), ("animal/tiger/0", "wild cat", ""),
        ("animal/rabbit/1", "animal", "domestic_rabbit"),
    ])
    func `an animal that crosses the picture has its name from beginning to end`(
        photo: String, label: String, breed: String
    ) async throws {
        let parts = photo.split(separator: "/").map(String.init)
        let photo = try SharedFolder.photos(parts[0], parts[1])[try #require(Int(parts[2]))]
        try await withOwnService { service in
            let names = try await names(crossing(photo), service)
            #expect(!names.isEmpty && names.allSatisfy { [label, "animal"].contains($0.label) }, "\(names)")
            let main = names.max { $0.milliseconds < $1.milliseconds }
            #expect(main?.label == label && (breed.isEmpty || main?.kind == breed), "\(names)")
        }
    }

    @Test func `people whom a dog passes stay people`() async throws {
        let scene = try SharedFolder.photos("object", "lab_coat")[0]
        let dog = try SharedFolder.photos("dog", "beagle")[0]
        let film = Film(
            seconds: 4, rate: 25, scene: scene,
            sprites: [.init(dog, width: 170, height: 170, from: (-170, 180), aSecond: (200, 0))])
        try await withOwnService { service in
            let labels = try await names(film, service).map(\.label)
            #expect(labels.count { $0 == "dog" } == 1 && Set(labels) == ["person", "dog"], "\(labels)")
        }
    }

    /// Both networks are sure of it in a third of the 40 pictures alone.
    @Test func `a small, blurred rabbit is an animal, and has its box all the time`() async throws {
        try await withOwnService { service in
            let names = try await names(crossing(try SharedFolder.photos("animal", "rabbit")[0]), service)
            #expect(names.contains { $0.label == "animal" && $0.boxes >= 35 }, "\(names)")
        }
    }

    @Test func `a film that cuts from a cat to a dog to mountains shows a cat, a dog, and then nothing`() async throws {
        func between(_ first: Int, _ last: Int, _ photo: URL) -> Film.Sprite {
            Film.Sprite(
                photo: photo, width: 300, height: 300, x: "if(between(t\\,\(first)\\,\(last))\\,150\\,-900)", y: "30",
                place: { (Double(first)...Double(last) ~= $0 ? 150 : -900, 30) })
        }
        let (cat, dog) = (try SharedFolder.photos("cat", "siamese")[0], try SharedFolder.photos("dog", "beagle")[0])
        let film = try Film(
            seconds: 6, rate: 25, scene: Self.alp(), sprites: [between(0, 2, cat), between(2, 4, dog)])
        try await withOwnService { service in
            let names = try await names(film, service)
            #expect(Set(names.map(\.label)) == ["cat", "dog"], "\(names)")
            #expect(names.map(\.milliseconds).reduce(0, +) < 5_000, "\(names)")
        }
    }

    @Test func `without colours, and flickering sixty times a second, a cat is a cat`() async throws {
        let photo = try SharedFolder.photos("cat", "siamese")[0]
        try await withOwnService { service in
            let grey = try await names(
                crossing(photo), service, ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "gray"])
            #expect(!grey.isEmpty && grey.allSatisfy { ["cat", "animal"].contains($0.label) }, "\(grey)")
            let flicker = try Film(
                seconds: 3, rate: 60, scene: Self.alp(),
                sprites: [
                    Film.Sprite(
                        photo: photo, width: 260, height: 260, x: "if(mod(floor(t*60)\\,2)\\,190\\,-900)", y: "50",
                        place: { _ in (190, 50) })
                ])
            let names = try await names(flicker, service)
            #expect(names.allSatisfy { ["cat", "animal"].contains($0.label) }, "\(names)")
        }
    }
}
