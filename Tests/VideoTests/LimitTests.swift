import Foundation
import Glibc
import TestSupport
import Testing

@testable import Video

@Suite("What a worker may take", .slow, .enabled(if: TestVideos.canRender)) struct LimitTests {
    private func withVideo(_ body: (URL) async throws -> Void) async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "a.mp4")
            try await TestVideos.render(
                TestVideos.source("640x480", rate: 30, seconds: 10) + ["-c:v", "libx264", "-preset", "ultrafast"],
                to: file)
            try await body(file)
        }
    }

    @Test func `memory`() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "large.mp4")
            try await TestVideos.render(
                TestVideos.source("3840x2160", rate: 5, seconds: 1) + ["-c:v", "libx264", "-preset", "ultrafast"],
                to: file)
            var limits = VideoLimits()
            limits.memory = 16 << 20
            let error = await thrown { _ = try await Reading(file, limits: limits) }
            let isTold =
                switch error {
                case .overLimit?, .crashed?, .corrupt?, .notAVideo?: true
                default: false
                }
            #expect(isTold, "\(String(describing: error))")
            let enough = try await Reading(file, side: 64)
            #expect(enough.frames.count == 5)
        }
    }

    @Test func `processor time`() async throws {
        try await withVideo { file in
            var limits = VideoLimits()
            limits.processorTime = 1
            let long = file.deletingLastPathComponent().appending(path: "long.mp4")
            try await TestVideos.render(
                ["-stream_loop", "60", "-i", file.path, "-c", "copy"], to: long)
            let error = await thrown { _ = try await Reading(long, every: 1, side: 16, limits: limits) }
            #expect(error == .overLimit("1 s of processor time"))
        }
    }

    @Test func `bytes that it writes`() async throws {
        try await withVideo { file in
            let folder = file.deletingLastPathComponent()
            let drawing = folder.appending(path: "drawing.json")
            try JSONEncoder().encode(VideoDrawing(hold: 0, paths: [])).write(to: drawing)
            let (input, description) = (try OpenVideo(file), try OpenVideo(drawing))
            let target = open(folder.appending(path: "out.mp4").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            defer { close(target) }
            var limits = VideoLimits()
            limits.outputBytes = 20_000
            let error = await thrown {
                let reader = try await VideoReader.open(
                    WorkerOrder(command: .annotate(side: 640), limits: limits), program: TestVideos.program,
                    input: input.descriptor, drawing: description.descriptor, output: target)
                while true {
                    if case .end = try await reader.next() { return }
                }
            }
            guard case .overLimit? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `a worker that dies is an answer, and the next one works`() async throws {
        try await withVideo { file in
            let error = await thrown {
                _ = try await Reading(file, every: 10, side: 64) { reader, frame in
                    if frame.time > 0, let process = reader.identifier { kill(process, SIGKILL) }
                }
            }
            #expect(error == .crashed(signal: SIGKILL))
            let again = try await Reading(file, every: 10, side: 64)
            #expect(again.frames.count == 100)
        }
    }

    @Test func `a worker that stands still is killed`() async throws {
        try await withVideo { file in
            var limits = VideoLimits()
            limits.patience = 1
            var process: Int32?
            let error = await thrown {
                _ = try await Reading(file, limits: limits) { reader, frame in
                    if frame.time > 0, process == nil, let found = reader.identifier {
                        process = found
                        // Stops the worker together with its supervisor.
                        kill(-found, SIGSTOP)
                    }
                }
            }
            #expect(error == .stalled(seconds: 1))
            let number = try #require(process)
            #expect(kill(number, 0) == -1 && errno == ESRCH)
        }
    }

    @Test func `cancelling ends it at once`() async throws {
        try await withVideo { file in
            let input = try OpenVideo(file)
            let reader = try await VideoReader.open(
                WorkerOrder(command: .frames(every: nil, side: nil), limits: VideoLimits()),
                program: TestVideos.program, input: input.descriptor)
            let process = try #require(reader.identifier)
            _ = try await reader.next()
            let start = ContinuousClock.now
            reader.cancel()
            let error = await thrown { while case .frame = try await reader.next() {} }
            #expect(error == .cancelled)
            #expect(ContinuousClock.now - start < .seconds(2))
            #expect(kill(process, 0) == -1 && errno == ESRCH)
        }
    }

    /// The effect of a kill -9 of the service on its workers.
    @Test func `a worker whose reader is gone goes too`() async throws {
        try await withVideo { file in
            let order = WorkerOrder(command: .frames(every: nil, side: nil), limits: VideoLimits())
            let text = String(decoding: try JSONEncoder().encode(order), as: UTF8.self)
            let process = Program.menagerie.process([VideoWorker.command, text])
            let pipe = Pipe()
            process.standardInput = try FileHandle(forReadingFrom: file)
            process.standardOutput = pipe
            try process.run()
            _ = try pipe.fileHandleForReading.read(upToCount: 5)
            try pipe.fileHandleForReading.close()
            try await onThread { process.waitUntilExit() }
            #expect(process.terminationStatus <= 1)
        }
    }

    /// The actions of a decoder that an attacker controls.
    @Test func `it has no network, no files and no programs`() async throws {
        // The kernel reports the restrictions. The value 2 means a filter of system calls.
        try await withVideo { file in
            var status = ""
            _ = await thrown {
                _ = try await Reading(file) { reader, _ in
                    if status.isEmpty, let keeper = reader.identifier {
                        let child = try? String(
                            contentsOfFile: "/proc/\(keeper)/task/\(keeper)/children", encoding: .utf8
                        )
                        .trimmingCharacters(in: .whitespaces)
                        status = (try? String(contentsOfFile: "/proc/\(child ?? "-")/status", encoding: .utf8)) ?? "-"
                    }
                }
            }
            #expect(status.contains("Seccomp:\t2"), "\(status)")
            #expect(status.contains("NoNewPrivs:\t1"))
        }
    }
}
