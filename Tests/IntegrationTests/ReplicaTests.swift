import Base
import Foundation
import Storage
import Testing
import TestSupport

/// Two services on one database with separate folders. Both give the same answers.
@Suite(.enabled(if: PostgreSQLServer.isAvailable)) struct ReplicaTests {
    private func withReplicas(_ body: (LiveService, LiveService) async throws -> Void) async throws {
        let backend = HistoryConfiguration.Backend.postgreSQL(
            connectionString: try PostgreSQLServer.shared.get().newDatabase())
        try await withOwnService(backend: backend) { first in
            try await withOwnService(backend: backend) { second in try await body(first, second) }
        }
    }

    private func links(_ response: RawResponse) throws -> String {
        let link = try #require(response.headers["link"], "\(response.text)")
        return String(try #require(link.split(separator: ">").first).dropFirst())
    }

    @Test func `a scan is the same wherever it is asked for`() async throws {
        let photo = try #require(ClassifyTests.drawing)
        try await withReplicas { first, second in
            let saved = try await first.classify(photo, query: "", key: "arrival")
            let id = try #require(try saved.object()["id"] as? String)
            let repeated = try await second.classify(photo, query: "", key: "arrival")
            #expect(try repeated.object()["id"] as? String == id)
            #expect(repeated.headers["idempotent-replayed"] == "true")
            let other = photo + [0]
            #expect(try await second.classify(other, query: "", key: "arrival").status == 422)
            let again = try await second.classify(photo, query: "").object()
            #expect(again["seen_before"] as? [String] == [id])
            for target in ["/history/\(id)/photo", "/history/\(id)/thumbnail"] {
                let (here, there) = (try await first.request("GET", target), try await second.request("GET", target))
                #expect(here.status == 200 && here.body == there.body)
                let tag = try #require(here.headers["etag"])
                let condition = [("If-None-Match", tag)]
                #expect(try await second.request("GET", target, headers: condition).status == 304)
            }
        }
    }

    @Test func `pages begun at one replica go on at the other`() async throws {
        let photo = try #require(ClassifyTests.drawing)
        try await withReplicas { first, second in
            for number in 0..<7 {
                let service = number % 2 == 0 ? first : second
                #expect(try await service.classify(photo, query: "").status == 200)
            }
            var (target, seen, turn): (String?, [String], Int) = ("/history?limit=2", [], 0)
            while let page = target {
                let response = try await (turn % 2 == 0 ? first : second).request("GET", page)
                seen += try response.items().compactMap { $0["id"] as? String }
                target = try response.headers["link"] == nil ? nil : links(response)
                turn += 1
            }
            #expect(turn == 4)
            #expect(seen == Array(Set(seen)).sorted(by: >) && seen.count == 7)
            #expect(
                try await first.request("GET", "/history?limit=100").body
                    == second.request("GET", "/history?limit=100").body)
        }
    }

    @Test func `what one replica deletes the other brings back`() async throws {
        let photo = try #require(ClassifyTests.drawing)
        try await withReplicas { first, second in
            let id = try #require(try await first.classify(photo, query: "").object()["id"] as? String)
            let deleted = try await second.request("DELETE", "/history/\(id)")
            #expect(deleted.status == 204)
            #expect(try await first.request("GET", "/history/\(id)").status == 404)
            let undo = try links(deleted)
            #expect(try await first.request("POST", undo, body: []).status == 200)
            #expect(try await second.request("POST", undo, body: []).status == 410)
            #expect(try await second.request("GET", "/history/\(id)/photo").status == 200)
            #expect(try await first.request("PUT", "/breeds/siamese/favourite", body: []).status == 204)
            #expect(try await second.request("GET", "/favourites").items().count == 1)
        }
    }

    @Test func `a lap timer is known to both`() async throws {
        try await withReplicas { first, second in
            // Both services have read the empty list.
            for service in [first, second] { #expect(try await service.request("GET", "/laps").items().isEmpty) }
            let made = try await first.request(
                "POST", "/laps", headers: [("Content-Type", "application/json")], body: Array("{}".utf8))
            #expect(made.status == 201, "\(made.text)")
            let path = try #require(made.headers["location"])
            #expect(try await second.request("GET", path).status == 200)
            #expect(try await second.request("DELETE", path).status == 204)
            #expect(try await first.request("GET", path).status == 404)
            #expect(try await first.request("GET", "/laps").items().isEmpty)
        }
    }

    @Test(.enabled(if: SharedFolder.isThere && VideoClip.areThere))
    func `a video is worked on by one replica, and shown by all`() async throws {
        let backend = HistoryConfiguration.Backend.postgreSQL(
            connectionString: try PostgreSQLServer.shared.get().newDatabase())
        try await withOwnService(backend: backend) { first in
            let added = try await first.addVideo(VideoClip.bytes("two_dogs_play_audio.mp4"), query: "every=5&save=true")
            #expect(added.status == 202, "\(added.text)")
            let path = try #require(added.headers["location"])
            // Another service that starts meanwhile neither takes the work nor declares it lost.
            try await withOwnService(backend: backend) { second in
                await second.resumeVideos()
                #expect(second.videoFolders.isEmpty)
                let state = try await second.request("GET", path).object()["state"] as? String
                #expect(["waiting", "working"].contains(state))
                let tracks = try await second.request("GET", path + "/tracks")
                async let events = second.request("GET", path + "/events").text
                #expect(tracks.status == 409 && tracks.text.contains("will be there when it is done"), "\(tracks.text)")
                #expect(try await first.endOfVideo(path)["state"] as? String == "done")
                let video = try await second.endOfVideo(path)
                // The other service reports the progress and the end.
                let told = try await events
                #expect(told.contains("event: progress"), "\(told)")
                let steps = told.matches(of: /"progress":([0-9.]+)/).compactMap { Double($0.1) }
                #expect(steps == steps.sorted() && steps.contains { $0 > 0 && $0 < 1 }, "\(told)")
                #expect(told.contains("event: done") && !told.contains("event: working"), "\(told)")
                let scans = try #require(video["scans"] as? [String])
                #expect(!scans.isEmpty)
                for id in scans { #expect(try await second.request("GET", "/history/\(id)/photo").status == 200) }
                for part in ["/tracks", "/frames/1000"] {
                    let (here, there) = (
                        try await first.request("GET", path + part), try await second.request("GET", path + part)
                    )
                    #expect(here.status == 200 && there.status == 200 && here.body == there.body, "\(part)")
                }
                let annotated = try await second.request("GET", path + "/annotated")
                #expect(annotated.status == 200 && annotated.headers["content-type"] == "video/mp4")
                #expect(try await second.request("DELETE", path).status == 204)
                #expect(try await first.request("GET", "/videos").items().isEmpty)
                #expect(try await first.history.files?.bytes(under: "videos/") == 0)
            }
        }
    }

    @Test(.enabled(if: SharedFolder.isThere && VideoClip.areThere))
    func `a video goes on at another replica where its own one ends`() async throws {
        try await withReplicas { first, second in
            let film = try VideoClip.bytes("two_dogs_play_audio.mp4")
            let added = try await first.addVideo(film, query: "every=30")
            let path = try #require(added.headers["location"])
            try await eventually { try await first.request("GET", path).object()["state"] as? String != "waiting" }
            await first.stopVideos()
            let state = try await second.request("GET", path).object()["state"] as? String
            #expect(state == "waiting")
            await second.resumeVideos()
            let video = try await second.endOfVideo(path)
            #expect(video["state"] as? String == "done", "\(video)")
            #expect(try await second.request("GET", path + "/tracks").items().isEmpty == false)
        }
    }

    @Test(.enabled(if: SharedFolder.isThere && VideoClip.areThere))
    func `a video that another replica deletes is not kept`() async throws {
        try await withReplicas { first, second in
            let added = try await first.addVideo(VideoClip.bytes("two_dogs_play_audio.mp4"), query: "every=5")
            let path = try #require(added.headers["location"])
            #expect(try await second.request("DELETE", path).status == 204)
            try await eventually { first.videoFolders.isEmpty }
            #expect(try await first.request("GET", path).status == 404)
        }
    }
}
