import Base
import Imaging

/// The additions for a sidecar: keywords, and the places of animals with names.
package struct SidecarTags: Sendable, Equatable {
    package let tags: [PhotoTag]
    var regions: [XMPRegion] = []
    /// The size of the stored picture, in pixels.
    var width = 0
    var height = 0
}

extension SidecarTags {
    /// - Parameter certainty: the least confidence for an animal's own name, 0…1.
    package init(_ seen: SeenPhoto, tags: [PhotoTag], certainty: Double) {
        self.tags = tags
        width = seen.image.storedWidth
        height = seen.image.storedHeight
        // Only animals with names have regions, since readers treat every named region as a person.
        regions = seen.things.compactMap { thing in
            guard let individual = thing.individual, Double(individual.confidence) >= certainty else { return nil }
            let region = seen.image.orientation.stored(thing.region)
            return XMPRegion(
                name: individual.label, x: region.centreX, y: region.centreY, width: region.width,
                height: region.height)
        }
    }
}
