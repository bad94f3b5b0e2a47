import Base
import Foundation
import Imaging
package import Logging
package import Recognition
package import Storage
package import Video

/// Watches the registered cameras from the start to the end of the service, whether or not anybody is connected. Their
/// list is stored in a file. Listeners receive the sightings.
package actor CameraService {
    package struct Options: Sendable {
        /// Whether cameras may be added and are watched.
        package var isOn: Bool
        /// The folder of the cameras and their sightings.
        package var directory: String
        package var limit = 16
        /// The folder of films that may replace cameras. Nil forbids them.
        package var files: String?
        package var retention = RetentionPolicy()
        package var videoLimits = VideoLimits.standard
        /// The first and the longest pause between two attempts to connect, in seconds.
        package var backOff = 1.0...60

        package init(isOn: Bool, directory: String) {
            self.isOn = isOn
            self.directory = directory
        }
    }

    /// Saves the picture of a sighting as a scan.
    ///
    /// - Returns: the scan's id.
    package typealias Scanner =
        @Sendable (_ picture: [UInt8], _ sighting: Sighting, _ agreed: AgreedAnswer?) async throws -> String

    private let options: Options

    package nonisolated var isOn: Bool { options.isOn }
    private let tools: CameraWatcher.Tools
    let logger: Logger
    nonisolated package let sightings: SightingStore
    private var cameras: [Camera] = []
    private var watches: [String: Task<Void, Never>] = [:]
    /// The ends of visits that each camera has still to save, by its id. Each waits for the one before, but the camera
    /// is watched meanwhile.
    private var departures: [String: [Task<Void, Never>]] = [:]
    /// The most such ends of a camera. It waits for the oldest before a further one.
    private static let maximumDepartures = 8
    private var listeners: [any SightingListener] = []
    private var scanner: Scanner?
    private var isRunning = false
    /// The live state of each camera, by its id. Any task may use it.
    let boards = Locked<[String: CameraBoard]>([:])
    let pool = BlockingPool(label: "menagerie.cameras", width: 2, maximumPending: 256)
    /// One change of the list at a time. Otherwise an older list could replace a newer one on the disk, and a camera
    /// that is deleted meanwhile would be watched on.
    private let changing = AsyncTurns(width: 1, maximumWaiting: 64)
    let encoder = PhotoEncoder()

    /// Reads the list of cameras.
    ///
    /// - Throws: ``CameraError/storage(_:)`` if the file is unreadable. A new file would lose all cameras.
    package init(options: Options, recogniser: Recogniser, identifier: Identifier, logger: Logger) throws(CameraError) {
        self.options = options
        self.logger = logger
        tools = CameraWatcher.Tools(
            recogniser: recogniser, limits: options.videoLimits, identifier: identifier, backOff: options.backOff,
            files: options.files)
        sightings = SightingStore(directory: options.directory + "/sightings", retention: options.retention)
        cameras = try Self.read(options.directory + "/cameras.json")
    }

    /// Adds a listener for all sightings. Call it before ``run()``.
    package func add(_ listener: any SightingListener) { listeners.append(listener) }

    /// Sets the function that saves sightings as scans.
    package func save(with scanner: @escaping Scanner) { self.scanner = scanner }

    /// Watches the cameras until the task is cancelled.
    package func run() async {
        guard options.isOn else { return }
        isRunning = true
        for case let listener as any CameraListener in listeners { await listener.take(cameras: cameras) }
        for camera in cameras {
            if let last = await onDisk({ [sightings] in sightings.last(of: camera.id) }) ?? nil {
                for case let listener as any CameraListener in listeners { await listener.take(last: last) }
            }
            // A camera that was changed or deleted meanwhile is watched as it is now, or not at all.
            if cameras.contains(camera) { watch(camera) }
        }
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(60))
            await onDisk { [sightings] in sightings.sweep() }
        }
        isRunning = false
        let running = Array(watches.values)
        watches = [:]
        running.forEach { $0.cancel() }
        for task in running { await task.value }
    }

    // MARK: Cameras

    package var all: [Camera] { cameras }

    /// Finds a camera by its id.
    ///
    /// - Throws: ``CameraError/unknown(id:)``.
    package func camera(_ id: String) throws(CameraError) -> Camera {
        guard let camera = cameras.first(where: { $0.id == id }) else { throw .unknown(id: id) }
        return camera
    }

    nonisolated package func status(of camera: Camera) -> CameraStatus {
        boards.withLock { $0[camera.id]?.status } ?? CameraStatus(state: .off, since: Date())
    }

    /// The statuses by the ids of the cameras, in the order of the list.
    nonisolated var statuses: [(key: String, value: CameraStatus)] {
        boards.withLock { boards in boards.mapValues(\.status).sorted { $0.key < $1.key } }
    }

    package func add(_ draft: CameraDraft) async throws -> Camera {
        try await inTurn { service in try await service.addInTurn(draft) }
    }

    package func change(_ id: String, _ draft: CameraDraft) async throws -> Camera {
        try await inTurn { service in try await service.changeInTurn(id, draft) }
    }

    /// Deletes a camera and its sightings. Scans stay.
    package func remove(_ id: String) async throws {
        try await inTurn { service in try await service.removeInTurn(id) }
    }

    private func inTurn<Value: Sendable>(
        _ body: @escaping @Sendable (CameraService) async throws -> Value
    ) async throws -> Value {
        do {
            return try await changing.run { @Sendable in try await body(self) }
        } catch is AsyncTurns.Full {
            throw CameraError.storage("too many changes of cameras wait; try again later")
        }
    }

    private func addInTurn(_ draft: CameraDraft) async throws(CameraError) -> Camera {
        guard options.isOn else { throw .off }
        guard cameras.count < options.limit else { throw .full(limit: options.limit) }
        let slug = CameraDraft.slug(draft.name ?? "")
        var id = slug
        var number = 2
        while cameras.contains(where: { $0.id == id }) {
            id = "\(slug)_\(number)"
            number += 1
        }
        let camera = try draft.camera(id: id, files: options.files)
        try await write(cameras + [camera])
        watch(camera)
        return camera
    }

    private func changeInTurn(_ id: String, _ draft: CameraDraft) async throws(CameraError) -> Camera {
        guard options.isOn else { throw .off }
        let before = try camera(id)
        let camera = try draft.changed(before, files: options.files)
        try await write(cameras.map { $0.id == id ? camera : $0 })
        // At another address it is another camera.
        if camera.url != before.url { boards.withLock { _ = $0.removeValue(forKey: id) } }
        watch(camera)
        return camera
    }

    private func removeInTurn(_ id: String) async throws(CameraError) {
        _ = try camera(id)
        let others = cameras.filter { $0.id != id }
        do {
            try await write(others)
        } catch {
            guard case .diskFull = error else { throw error }
            // The camera's sightings make room for the shorter list.
            await onDisk { [sightings] in sightings.removeAll(of: id) }
            try await write(others)
        }
        let task = watches.removeValue(forKey: id)
        task?.cancel()
        await task?.value
        boards.withLock { _ = $0.removeValue(forKey: id) }
        await onDisk { [sightings] in sightings.removeAll(of: id) }
    }

    /// The newest picture, as JPEG.
    package func picture(of id: String) async throws(CameraError) -> [UInt8] {
        _ = try camera(id)
        guard let picture = boards.withLock({ $0[id]?.picture }), let bytes = await encoded(picture) else {
            throw .noPicture
        }
        return bytes
    }

    private func write(_ changed: [Camera]) async throws(CameraError) {
        let bytes = [UInt8](json: changed)
        let path = options.directory + "/cameras.json"
        let written = await onDisk {
            Result { () throws(FileError) in try DurableFile.replace(path, with: bytes) }
        }
        guard let written else { throw .storage("too many file operations wait; try again later") }
        if case .failure(.diskFull) = written { throw .diskFull }
        if case .failure(let error) = written { throw .storage("\(error)") }
        cameras = changed
        for case let listener as any CameraListener in listeners { await listener.take(cameras: changed) }
    }

    // MARK: Watching

    /// Watches a camera anew, or stops to watch it if it is turned off.
    private func watch(_ camera: Camera) {
        let before = watches[camera.id]
        before?.cancel()
        var status = CameraStatus(state: camera.isEnabled ? .connecting : .off, since: Date())
        boards.withLock {
            let before = $0[camera.id]
            status.counts = before?.status.counts ?? status.counts
            $0[camera.id] = CameraBoard(status: status, picture: before?.picture)
        }
        guard isRunning, camera.isEnabled else { return }
        let watcher = CameraWatcher(
            camera: camera, tools: tools, report: { [self] in note($0, of: camera) },
            change: { [self] in await take($0, of: camera) })
        watches[camera.id] = Task {
            await watcher.run()
            // A deletion and the end of the service wait for the sightings that are still being stored.
            await departures[camera.id]?.last?.value
            if !Task.isCancelled { note(.state(.ended, problem: nil), of: camera) }
            await before?.value
        }
    }

    func take(_ change: SightingTracker.Change, of camera: Camera) async {
        for visit in change.seen { await tell(.seen, visit, of: camera) }
        for visit in change.left {
            if let waiting = departures[camera.id], waiting.count >= Self.maximumDepartures { await waiting[0].value }
            let before = departures[camera.id]?.last
            // Not cancelled with the watch, so that the scans under way at its end are saved.
            departures[camera.id, default: []].append(
                Task {
                    await before?.value
                    await tell(.left, visit, of: camera)
                    departures[camera.id] = departures[camera.id].flatMap { $0.count > 1 ? Array($0.dropFirst()) : nil }
                })
        }
    }

    private func tell(_ kind: SightingEvent.Kind, _ visit: SightingTracker.Visit, of camera: Camera) async {
        guard let picture = await encoded(visit.picture) else { return }
        var sighting = visit.sighting
        sighting.name = tools.identifier.name(of: sighting)
        switch kind {
        case .seen:
            boards.withLock { $0[camera.id]?.status.counts.sightings += 1 }
            sighting = await counted(sighting)
        case .left:
            if let before = sightings[sighting.id] {
                sighting.isFirstEver = before.isFirstEver
                sighting.isFirstToday = before.isFirstToday
                sighting.countToday = before.countToday
                if sighting.key != before.key { sighting = await counted(sighting, insteadOf: before) }
            }
            if camera.savesScans, let scanner {
                do {
                    sighting.scan = try await scanner(picture, sighting, visit.agreed)
                } catch {
                    logger.warning(
                        "A sighting was not saved as a scan", metadata: ["camera": "\(camera.id)", "error": "\(error)"])
                }
            }
        }
        await keep(sighting, picture)
        let event = SightingEvent(kind: kind, sighting: sighting, picture: picture)
        for listener in listeners { await listener.take(event) }
    }
}
