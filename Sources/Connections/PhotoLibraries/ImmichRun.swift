import Base
package import Foundation
import Imaging

/// Analyses the photos of an Immich library. Animals become tags, and animals with names become people with a face.
/// Existing ones are not created twice.
package struct ImmichRun: Sendable {
    private let client: ImmichClient
    private let tags: PhotoTags
    /// The least confidence for an animal's own name, 0…1.
    private let certainty: Double
    private let isDry: Bool
    private let look: @Sendable ([UInt8]) async throws -> SeenPhoto

    /// The numbers for the final report.
    package struct Tally: Sendable, Equatable {
        package var photos = 0
        package var tagged = 0
        package var named = 0
        package var failures = 0
    }

    /// - Parameters:
    ///   - isDry: whether to write nothing.
    ///   - look: analyses a photo.
    package init(
        client: ImmichClient, tags: PhotoTags, certainty: Double, isDry: Bool,
        look: @escaping @Sendable ([UInt8]) async throws -> SeenPhoto
    ) {
        self.client = client
        self.tags = tags
        self.certainty = certainty
        self.isDry = isDry
        self.look = look
    }

    /// - Parameters:
    ///   - since: limits the run to photos changed after that time. Nil takes all.
    ///   - report: receives a line for each photo with animals and for each failure.
    /// - Throws: ``ImmichError`` if no other photo would succeed, and such errors of `look`.
    package func run(since: Date? = nil, report: (String) -> Void) async throws -> Tally {
        var tally = Tally()
        var people = try await client.people()
        var number: Int? = 1
        while let page = number {
            let found = try await client.photos(page: page, since: since)
            var assets: [String: [UUID]] = [:]
            for asset in found.assets {
                tally.photos += 1
                let name = (asset.originalFileName ?? asset.id.uuidString).printable
                do {
                    let seen = try await look(try await client.preview(of: asset))
                    let words = tags.tags(of: seen).map { XMPList.tagsList.text(of: $0) }
                    if !words.isEmpty { report("\(name): \(words.joined(separator: ", "))") }
                    for word in words { assets[word, default: []].append(asset.id) }
                    if !words.isEmpty { tally.tagged += 1 }
                    tally.named += try await nameAnimals(in: asset, seen, &people)
                } catch let error as ImmichError where !error.isOfOnePhoto {
                    throw error
                } catch is CancellationError {
                    throw CancellationError()
                } catch {
                    tally.failures += 1
                    report("\(name): \(error)")
                }
            }
            try await write(assets)
            number = found.next.flatMap { $0 > page ? $0 : nil }
        }
        return tally
    }

    private func write(_ assets: [String: [UUID]]) async throws {
        guard !isDry, !assets.isEmpty else { return }
        let ids = try await client.tags(assets.keys.sorted())
        for (word, assets) in assets.sorted(by: { $0.key < $1.key }) {
            guard let id = ids[word] else { throw ImmichError.answer("tags") }
            try await client.tag(assets, with: id)
        }
    }

    /// - Returns: the number of animals that were named.
    private func nameAnimals(
        in asset: ImmichClient.Asset, _ seen: SeenPhoto, _ people: inout [String: UUID]
    ) async throws -> Int {
        let animals = seen.things.filter { Double($0.individual?.confidence ?? 0) >= max(certainty, .ulpOfOne) }
        guard !animals.isEmpty else { return 0 }
        let known = try await client.faces(of: asset)
        var count = 0
        for animal in animals {
            guard let name = animal.individual?.label, !known.contains(where: { $0.keeps(animal, name) }) else {
                continue
            }
            count += 1
            if isDry { continue }
            let person: UUID
            if let id = people[name] {
                person = id
            } else {
                person = try await client.makePerson(name)
                people[name] = person
            }
            let (width, height) = (Double(seen.image.width), Double(seen.image.height))
            try await client.make(
                ImmichClient.NewFace(
                    assetId: asset.id, personId: person, imageWidth: seen.image.width, imageHeight: seen.image.height,
                    x: Int(animal.region.x * width), y: Int(animal.region.y * height),
                    width: max(1, Int(animal.region.width * width)), height: max(1, Int(animal.region.height * height)))
            )
        }
        return count
    }
}

extension ImmichClient.Face {
    /// Whether the photo already has this name or a face at this place.
    fileprivate func keeps(_ animal: SeenThing, _ name: String) -> Bool {
        guard let person, !person.name.isEmpty else { return false }
        guard person.name != name, imageWidth > 0, imageHeight > 0 else { return true }
        let region = PictureRegion(
            left: boundingBoxX1 / imageWidth, top: boundingBoxY1 / imageHeight, right: boundingBoxX2 / imageWidth,
            bottom: boundingBoxY2 / imageHeight)
        return region.overlap(with: animal.region) > 0.6
    }
}
