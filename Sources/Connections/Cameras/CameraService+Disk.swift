import Base
import Foundation
import Imaging
import Logging

/// The cameras' files. All disk operations run outside the cooperative thread pool.
extension CameraService {
    static func read(_ path: String) throws(CameraError) -> [Camera] {
        do {
            guard let bytes = try FileSystem.load(path, limit: 4 << 20) else { return [] }
            return try JSONDecoder().decode([Camera].self, from: Data(bytes))
        } catch {
            throw .storage("\(path) cannot be read: \(error)")
        }
    }

    func counted(_ sighting: Sighting, insteadOf before: Sighting? = nil) async -> Sighting {
        await onDisk { [sightings, logger] in
            var sighting = sighting
            do throws(FileError) {
                try sightings.count(&sighting, insteadOf: before)
            } catch {
                logger.warning("The count of sightings was not written", metadata: ["error": "\(error)"])
            }
            return sighting
        } ?? sighting
    }

    func keep(_ sighting: Sighting, _ picture: [UInt8]) async {
        _ = await onDisk { [sightings, logger] in
            do throws(FileError) {
                try sightings.keep(sighting, picture: picture)
            } catch {
                logger.warning(
                    "A sighting was not written", metadata: ["camera": "\(sighting.camera)", "error": "\(error)"])
            }
        }
    }

    func encoded(_ picture: PixelBuffer) async -> [UInt8]? {
        (await onDisk { [encoder] in try? encoder.storedCopy(of: picture) }) ?? nil
    }

    /// Runs disk operations outside the cooperative thread pool. Nil if too many are waiting.
    @discardableResult func onDisk<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value? {
        let value = await pool.runIfRoom(body)
        if value == nil { logger.warning("A file operation of the cameras was left out, because too many wait") }
        return value
    }
}
