package import Base
import Foundation
import Glibc

/// Makes a copy of a video with rectangles drawn into it.
package enum AnnotatedFile {
    /// The longer side of its pictures, in pixels.
    package static let side = 1920

    /// - Parameters:
    ///   - input: the video, open for reading.
    ///   - output: an empty file, open for reading and writing. If it is removed, the work ends.
    ///   - progress: receives the microseconds of the video written so far.
    package static func write(
        _ drawing: VideoDrawing, of input: CInt, to output: CInt, limits: VideoLimits, program: HelperProgram,
        progress: @Sendable (Int64) async -> Void
    ) async throws(VideoError) -> VideoEnding {
        let file = try file(of: drawing)
        defer { close(file) }
        let reader = try await VideoReader.open(
            WorkerOrder(command: .annotate(side: side), limits: limits), program: program, input: input, drawing: file,
            output: output)
        while true {
            let step = try await reader.next()
            // The video was deleted meanwhile, with this file.
            guard FileSystem.hasName(output) else { throw .cancelled }
            switch step {
            case .progress(let time): await progress(time)
            case .end(let ending): return ending
            case .frame: continue
            }
        }
    }

    /// A file without a name. It disappears when its last descriptor is closed.
    private static func file(of drawing: VideoDrawing) throws(VideoError) -> CInt {
        guard let data = try? JSONEncoder().encode(drawing) else { throw .system("the drawing cannot be written") }
        var path = Array((NSTemporaryDirectory() + "/menagerie-drawing-XXXXXX").utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw .system("\(String(cString: strerror(errno)))") }
        unlink(path)
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        do {
            try handle.write(contentsOf: data)
            try handle.seek(toOffset: 0)
        } catch {
            close(descriptor)
            throw .system("the drawing cannot be written: \(error)")
        }
        return descriptor
    }
}
