import Foundation
import Imaging
import TestSupport
import Testing

@testable import Video

@Suite("Real clips", .slow, .enabled(if: TestVideos.hasClips)) struct ClipTests {
    private struct Clip {
        let name, codec, audio: String
        let width, height, frames: Int
        let rate: Double
    }

    private func clips() throws -> [Clip] {
        let text = try String(contentsOf: TestVideos.clips.appending(path: "videos.csv"), encoding: .utf8)
        return text.split(separator: "\n").dropFirst().map { line in
            let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            return Clip(
                name: cells[0], codec: cells[5], audio: cells[10], width: Int(cells[6]) ?? 0,
                height: Int(cells[7]) ?? 0, frames: Int(cells[9]) ?? 0, rate: Double(cells[8]) ?? 0)
        }
    }

    @Test func `each says what it is and shows all of its frames`() async throws {
        for clip in try clips() {
            let reading = try await Reading(TestVideos.clips.appending(path: clip.name), side: 64)
            #expect(reading.info.codec == clip.codec, "\(clip.name)")
            let isWider = clip.name == "odd_hevc_dashcam.mp4"
            #expect(reading.info.width == clip.width || isWider, "\(clip.name)")
            #expect(reading.info.height == clip.height, "\(clip.name)")
            #expect(abs((reading.info.framesPerSecond ?? 0) - clip.rate) < 0.05, "\(clip.name)")
            #expect((reading.info.audioCodec == nil) == clip.audio.isEmpty, "\(clip.name)")
            #expect(reading.frames.count == clip.frames, "\(clip.name)")
            #expect(reading.ending.damaged == 0, "\(clip.name)")
            #expect(!reading.ending.isTruncated, "\(clip.name)")
            #expect(reading.frames.first?.time == 0)
            #expect(zip(reading.frames, reading.frames.dropFirst()).allSatisfy { $0.time < $1.time })
        }
    }

    @Test func `ten a second of the dogs, of moderate size, evenly spread`() async throws {
        let reading = try await Reading(TestVideos.clips.appending(path: "cars_passing.mp4"), every: 5, side: 320)
        // 12.5 per second for 30.16 s.
        #expect(reading.frames.count == 151)
        for (index, frame) in reading.frames.enumerated() {
            #expect(abs(frame.time - Int64(index) * 200_000) <= 80_000)
            #expect(frame.picture.width == 320)
            #expect(frame.picture.height == 180)
        }
    }

    @Test func `the picture at a time is the one in sight then`() async throws {
        let url = TestVideos.clips.appending(path: "two_dogs_play_audio.mp4")
        let all = try await Reading(url, side: 320)
        let file = try OpenVideo(url)
        for index in [0, 1, 30, 89, 144] {
            let frame = try await VideoReader.picture(
                of: file.descriptor, at: all.frames[index].milliseconds, side: 320, limits: VideoLimits(),
                program: TestVideos.program)
            #expect(frame == all.frames[index], "\(index)")
        }
        let error = await thrown {
            _ = try await VideoReader.picture(
                of: file.descriptor, at: 60_000, limits: VideoLimits(), program: TestVideos.program)
        }
        #expect(error == .noFrame(milliseconds: 60_000))
    }
}
