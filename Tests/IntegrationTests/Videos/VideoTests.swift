import Foundation
import Recognition
import TestSupport
import Testing

@Suite(.enabled(if: SharedFolder.isThere && VideoClip.areThere)) struct VideoTests {
    @Test func `a clip of dogs from upload to deletion`() async throws {
        try await withOwnService { service in
            let added = try await service.addVideo(
                VideoClip.bytes("two_dogs_play_audio.mp4"), query: "every=5&annotate=true&save=true")
            #expect(added.status == 202, "\(added.text)")
            let path = try #require(added.headers["location"])
            let first = try added.object()
            #expect(first["fps"] as? Double == 30)
            #expect(first["frames"] as? Int == 145)
            #expect(["waiting", "working"].contains(first["state"] as? String))
            let video = try await service.endOfVideo(path)
            #expect(video["state"] as? String == "done", "\(video)")
            #expect(video["progress"] as? Double == 1)
            #expect((video["frames_looked"] as? Int ?? 0) >= 20)

            let tracks = try await service.request("GET", path + "/tracks").object()
            let items = try #require(tracks["items"] as? [[String: any Sendable]])
            #expect(video["tracks"] as? Int == items.count)
            // Each animal has a scan with a picture.
            let animals = items.filter { Animals.labels.contains($0["label"] as? String ?? "") }
            let scans = try #require(video["scans"] as? [String])
            #expect(!scans.isEmpty && scans.count == animals.count)
            #expect(try await service.request("GET", "/history").items().count == scans.count)
            for (id, animal) in zip(scans, animals) {
                #expect(try await service.request("GET", "/history/\(id)/photo").status == 200)
                // One picture alone may show another breed than the film.
                let scan = try await service.request("GET", "/history/\(id)").object()
                let answers = try #require(scan["predictions"] as? [[String: any Sendable]])
                if animal["label"] as? String == "dog" { #expect(scan["species"] as? String == "dog") }
                let known = animal["predictions"] as? [[String: any Sendable]] ?? []
                if let first = known.first { #expect(answers.first?["label"] as? String == first["label"] as? String) }
            }

            let annotated = try await service.request(
                "GET", path + "/annotated", headers: [("Range", "bytes=4-7")])
            #expect(annotated.status == 206)
            #expect(annotated.headers["content-type"] == "video/mp4")
            #expect(annotated.text == "ftyp")
            let frame = try await service.request("GET", path + "/frames/1000")
            #expect(frame.headers["content-type"] == "image/jpeg")
            #expect(frame.body.starts(with: [0xFF, 0xD8]))
            #expect(try await service.request("GET", path + "/frames/60000").status == 404)
            #expect(try await service.request("GET", path + "/frames/-1").status == 404)

            let events = try await service.request("GET", path + "/events")
            #expect(events.text.contains("event: done"))
            let last = try #require(events.text.split(separator: "\n").last { $0.hasPrefix("id: ") }).dropFirst(4)
            let again = try await service.request(
                "GET", path + "/events", headers: [("Last-Event-ID", String(last))])
            #expect(again.status == 204)
            // A client that reconnects in the middle gets the later events, without repetitions.
            let ids = events.text.split(separator: "\n").filter { $0.hasPrefix("id: ") }.map { $0.dropFirst(4) }
            #expect(ids.count > 2 && Set(ids).count == ids.count)
            let rest = try await service.request(
                "GET", path + "/events", headers: [("Last-Event-ID", String(ids[0]))])
            #expect(
                rest.text.split(separator: "\n").filter { $0.hasPrefix("id: ") }.map { $0.dropFirst(4) }
                    == Array(ids.dropFirst()))

            let list = try await service.request("GET", "/videos").items()
            #expect(list.count == 1)
            #expect(try await service.request("DELETE", path).status == 204)
            #expect(try await service.request("GET", path).status == 404)
            #expect(try await service.request("DELETE", path).status == 404)
            let left = (try? FileManager.default.contentsOfDirectory(atPath: service.dataDirectory + "/videos")) ?? []
            #expect(left.isEmpty)
        }
    }

    @Test func `a form, without boxes, annotated when first asked for`() async throws {
        try await withOwnService { service in
            let clip = try VideoClip.bytes("rabbit_toy_vp8.webm")
            let body =
                Array("--x\r\nContent-Disposition: form-data; name=\"video\"; filename=\"a.webm\"\r\n\r\n".utf8) + clip
                + Array("\r\n--x--\r\n".utf8)
            let added = try await service.addVideo(
                body, query: "every=2&detect=false&lang=fi", type: "multipart/form-data; boundary=x")
            #expect(added.status == 202, "\(added.text)")
            let path = try #require(added.headers["location"])
            let early = try await service.request("GET", path + "/annotated")
            #expect([200, 409].contains(early.status))
            #expect(try await service.endOfVideo(path)["state"] as? String == "done")
            let annotated = try await service.request("GET", path + "/annotated")
            #expect(annotated.status == 200)
            #expect(annotated.body.dropFirst(4).starts(with: Array("ftyp".utf8)))
        }
    }

    @Test func `an unreadable file is refused with the reason, and leaves nothing behind`() async throws {
        try await withOwnService { service in
            let text = Array("This is no video.".utf8)
            let playlist = Array("#EXTM3U\n#EXTINF:10,\nhttp://127.0.0.1:1/a.ts\n#EXT-X-ENDLIST\n".utf8)
            let clip = try VideoClip.bytes("bikes.mp4")
            let cases: [(bytes: [UInt8], query: String, type: String, status: Int, problem: String)] = [
                (text, "", "text/plain", 415, "/problems/unsupported-media-type"),
                (text, "", "video/mp4", 422, "/problems/unreadable-video"),
                (playlist, "", "video/mp4", 422, "/problems/unreadable-video"),
                (Array(clip.prefix(5000)), "", "video/mp4", 422, "/problems/unreadable-video"),
                ([], "", "video/mp4", 400, "/problems/malformed-body"),
                (clip, "every=0", "video/mp4", 400, "/problems/invalid-parameter"),
                (clip, "speed=2", "video/mp4", 400, "/problems/unknown-parameter"),
                (clip, "model=none", "video/mp4", 404, "/problems/not-found"),
                (Array("--x--\r\n".utf8), "", "multipart/form-data; boundary=x", 400, "/problems/malformed-body"),
            ]
            for wrong in cases {
                let answer = try await service.addVideo(wrong.bytes, query: wrong.query, type: wrong.type)
                #expect(answer.status == wrong.status, "\(wrong.query) \(wrong.type): \(answer.text)")
                #expect(try answer.object()["type"] as? String == wrong.problem, "\(answer.text)")
            }
            let left = (try? FileManager.default.contentsOfDirectory(atPath: service.dataDirectory + "/videos")) ?? []
            #expect(left.isEmpty)
            #expect(try await service.request("GET", "/videos").items().isEmpty)
        }
    }

    @Test func `old videos make room for new ones, and what finds none is refused`() async throws {
        let clip = try VideoClip.bytes("rabbit_toy_vp8.webm")
        try await withOwnService(videoBytes: clip.count * 3 / 2) { service in
            let first = try await service.addVideo(clip, query: "every=1&detect=false", type: "video/webm")
            let path = try #require(first.headers["location"])
            #expect(try await service.endOfVideo(path)["state"] as? String == "done")
            let second = try await service.addVideo(clip, query: "every=1&detect=false", type: "video/webm")
            #expect(second.status == 202, "\(second.text)")
            #expect(try await service.request("GET", path).status == 404)
            let next = try #require(second.headers["location"])
            #expect(try await service.endOfVideo(next)["state"] as? String == "done")
            // A video that is too large to be stored does not push out others.
            let large = try await service.addVideo(VideoClip.bytes("cars_passing.mp4"))
            #expect(large.status == 507, "\(large.text)")
            #expect(try large.object()["type"] as? String == "/problems/storage-full")
            #expect(large.text.contains("64 MiB of the disk stay free"), "\(large.text)")
            #expect(try await service.request("GET", next).status == 200)
        }
    }

    @Test func `deleting stops the work at once`() async throws {
        try await withOwnService { service in
            let added = try await service.addVideo(VideoClip.bytes("bottles_conveyor.mp4"), query: "every=30")
            let path = try #require(added.headers["location"])
            let start = ContinuousClock.now
            #expect(try await service.request("DELETE", path).status == 204)
            #expect(ContinuousClock.now - start < .seconds(5))
            #expect(try await service.request("GET", path).status == 404)
            // The next video is then processed.
            let next = try await service.addVideo(
                VideoClip.bytes("odd_alpha_vp9.webm"), query: "every=1", type: "video/webm")
            #expect(try await service.endOfVideo(try #require(next.headers["location"]))["state"] as? String == "done")
        }
    }

    @Test func `a video that is deleted while its annotated file is made is gone`() async throws {
        try await withOwnService { service in
            let added = try await service.addVideo(
                VideoClip.bytes("two_dogs_play_audio.mp4"), query: "every=0.5&detect=false")
            let path = try #require(added.headers["location"])
            #expect(try await service.endOfVideo(path)["state"] as? String == "done")
            async let annotated = service.request("GET", path + "/annotated")
            let partial = "\(service.dataDirectory)\(path)/annotated.mp4.partial"
            for _ in 0..<2_000 where !FileManager.default.fileExists(atPath: partial) {
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(try await service.request("DELETE", path).status == 204)
            #expect(try await annotated.status == 404)
        }
    }
}

enum VideoClip {
    private static let folder = SharedFolder.url.appending(path: "data/video")
    static let areThere = FileManager.default.fileExists(atPath: folder.appending(path: "videos.csv").path)

    static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appending(path: name)))
    }
}
