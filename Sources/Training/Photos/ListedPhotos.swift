import Foundation

/// The photos of a list, such as a CSV file.
package struct ListedPhotos: PhotoSource {
    private let list: PhotoList
    private let limits: TrainingLimits

    package init(_ list: PhotoList, limits: TrainingLimits) {
        self.list = list
        self.limits = limits
    }

    package func catalogue(_ limits: TrainingLimits) async throws -> PhotoCatalogue {
        var catalogue = PhotoCatalogue(limits: limits)
        for (place, photo) in list.photos.enumerated() {
            let values = try? list.url(of: photo).resourceValues(forKeys: [.fileSizeKey])
            try catalogue.add(path: photo.path, label: photo.label, size: values?.fileSize ?? 0, place: place)
        }
        return catalogue
    }

    package func bytes(of photo: TrainingPhoto) async throws -> [UInt8] {
        try await PhotoFile.bytes(list.url(of: list.photos[photo.place]).path, limits: limits)
    }
}
