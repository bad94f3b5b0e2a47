import Base
@testable import Connections
import Encyclopaedia
import Foundation
import Imaging
import Logging
import TestSupport
import Testing

/// The ends of visits, while the scans of earlier ones are still being made.
@Suite("Departures from cameras", .timeLimit(.minutes(2))) struct CameraDepartureTests {
    private let camera = Camera(
        id: "yard", name: "Yard", url: "rtsp://127.0.0.1:1/yard", looksPerSecond: 5, ignored: [], savesScans: true,
        isEnabled: true)

    private func departure() -> SightingTracker.Change {
        let picture = PixelBuffer(width: 64, height: 36, bytes: [UInt8](repeating: 90, count: 64 * 36 * 3))
        let cat = SeenAnimal(
            track: 1, label: "cat", confidence: 0.8, region: .init(x: 0.4, y: 0.4, width: 0.2, height: 0.2),
            isKnown: true)
        var tracker = SightingTracker(camera: camera)
        _ = tracker.update([cat], in: picture, atMilliseconds: 0, date: Date())
        return SightingTracker.Change(left: tracker.end())
    }

    /// A scanner that waits for its gate, as for a busy recogniser.
    private func service(in folder: TemporaryFolder, _ gate: Gate) async throws -> CameraService {
        let service = try CameraService(
            options: CameraService.Options(isOn: true, directory: folder.path),
            recogniser: try LiveService.recogniser.get(),
            identifier: Identifier(encyclopaedia: try Encyclopaedia.bundled(), individuals: nil),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        await service.save { _, _, _ in
            try await onThread { gate.pass() }
            try Task.checkCancellation()
            return "scan"
        }
        return service
    }

    @Test func aCameraIsWatchedWhileAScanIsMade() async throws {
        let folder = try TemporaryFolder()
        let gate = Gate()
        let service = try await service(in: folder, gate)
        gate.close()
        await service.take(departure(), of: camera)
        #expect(service.sightings.count(of: "yard") == 0)
        gate.open()
        try await eventually { service.sightings.newest(of: "yard", before: nil, limit: 1).first?.scan == "scan" }
    }

    @Test func aScanSurvivesTheEndOfTheWatch() async throws {
        let folder = try TemporaryFolder()
        let gate = Gate()
        let service = try await service(in: folder, gate)
        gate.close()
        let watch = Task { await service.take(departure(), of: camera) }
        try await eventually { gate.waiting == 1 }
        watch.cancel()
        gate.open()
        try await eventually { service.sightings.count(of: "yard") == 1 }
        #expect(service.sightings.newest(of: "yard", before: nil, limit: 1).first?.scan == "scan")
    }

    @Test func aCameraWithManyDeparturesWaitsForTheOldest() async throws {
        let folder = try TemporaryFolder()
        let gate = Gate()
        let service = try await service(in: folder, gate)
        gate.close()
        for _ in 0..<8 { await service.take(departure(), of: camera) }
        let isTaken = Locked(false)
        let ninth = Task {
            await service.take(departure(), of: camera)
            isTaken.withLock { $0 = true }
        }
        try await Task.sleep(for: .milliseconds(200))
        #expect(!isTaken.withLock { $0 })
        gate.open()
        await ninth.value
        try await eventually { service.sightings.count(of: "yard") == 9 }
    }
}
