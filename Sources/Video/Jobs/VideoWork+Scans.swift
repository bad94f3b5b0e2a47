import Base
import Foundation
import Imaging
import Recognition
import Storage
import Streams

/// Saves the animals of a video as scans.
extension VideoWork {
    /// The largest number of scans, and of laps with a picture, for one video.
    static let maximumScans = 100

    /// The part of the video that becomes a scan.
    private struct Subject {
        let milliseconds: Int
        /// nil for the whole picture.
        let region: PictureRegion?
        /// What all pictures of the animal say; nil if they do not agree on more than its kind.
        var agreed: AgreedAnswer?
    }

    func save(_ findings: VideoFindings) async throws -> [ULID] {
        var subjects = findings.tracks.filter { Animals.labels.contains($0.label) }.map { track in
            Subject(
                milliseconds: track.best.milliseconds, region: track.best.box.region, agreed: track.agreed)
        }
        if !findings.wasSearched {
            subjects = findings.scenes.filter { ["cats", "dogs", "zoo"].contains($0.head) }.map {
                Subject(milliseconds: $0.best, region: nil)
            }
        }
        subjects = Array(subjects.prefix(Self.maximumScans))
        let ids = try await identifiers(subjects.count)
        for (subject, id) in zip(subjects, ids) {
            try Task.checkCancellation()
            if try await jobs.history.holds(id, withPhoto: true) { continue }
            try await save(subject, as: id)
        }
        return ids
    }

    /// The ids of the scans. They are stored before the first scan, so that each attempt uses the same ones.
    private func identifiers(_ count: Int) async throws -> [ULID] {
        if let planned = job.planned, planned.count == count { return planned }
        let names = (0..<count).map { _ in ULID.next() }
        try await jobs.share(.tracks, job.id)
        try await jobs.update(job.id) { $0.planned = names }
        return names
    }

    private func save(_ subject: Subject, as id: ULID) async throws {
        let frame = try await VideoReader.picture(
            of: source.descriptor, at: subject.milliseconds, limits: limits, program: jobs.options.program)
        let photo = try await jobs.disk.perform { try Self.photo(of: frame.picture, subject.region) }
        let options = ClassificationOptions(priority: .background, copy: ClassificationOptions.StoredCopy())
        let classification = try await Recogniser.patiently {
            try await jobs.recogniser.classify(photo, options: options)
        }.agreeing(with: subject.agreed)
        let scan = Scan(classification, id: id, top: 3, heads: nil, language: job.parameters.language)
        _ = try await jobs.history.record(scan, photo: classification.storedCopy)
        jobs.observer.savedScan()
    }

    private static func photo(of picture: PixelBuffer, _ region: PictureRegion?) throws(ImagingError) -> [UInt8] {
        guard let region else { return try PhotoEncoder().storedCopy(of: picture) }
        let square = region.square(margin: RegionNames.margin, inWidth: picture.width, height: picture.height)
        let request = DecodeRequest(
            width: max(1, Int(clamping: (square.width * Double(picture.width)).rounded())),
            height: max(1, Int(clamping: (square.height * Double(picture.height)).rounded())), crop: .fill,
            region: square)
        return try PhotoEncoder().storedCopy(of: Frame(pixels: picture).picture(request).pixels)
    }
}
