import API
import Base
import Foundation
import Storage
import Testing
import TestSupport

/// The typical steps of a vet, a buyer and a teacher, with every store.
@Suite struct WalkTests {
    enum Store: String, CaseIterable {
        case sqlite, postgresql
    }

    private static var obstacle: String? {
        if case .failure(let obstacle) = PostgreSQLServer.shared { return obstacle.reason }
        return nil
    }

    private static func backend(_ store: Store) throws -> HistoryConfiguration.Backend {
        switch store {
        case .sqlite: .sqlite
        case .postgresql: .postgreSQL(connectionString: try PostgreSQLServer.shared.get().newDatabase())
        }
    }

    @Test func aWholeDayWithSQLite() async throws {
        try await walk(.sqlite)
    }

    @Test(.enabled(if: obstacle == nil, Comment(rawValue: "skipped: \(obstacle ?? "")")))
    func aWholeDayWithPostgreSQL() async throws {
        try await walk(.postgresql)
    }

    private func walk(_ store: Store) async throws {
        let photo = try #require(ClassifyTests.drawing)
        let photos = BreedPhotoOptions(includesOwnScans: true)
        try await withOwnService(backend: Self.backend(store), photos: photos) { service in
            // The vet scans an arrival, repeats the request after a network failure, and notes what it is.
            let scan = try await service.classify(photo, query: "", key: "arrival-1").object()
            let id = try #require(scan["id"] as? String)
            #expect(try await service.classify(photo, query: "", key: "arrival-1").object()["id"] as? String == id)
            let again = try await service.classify(photo, query: "").object()
            #expect(again["seen_before"] as? [String] == [id])
            let patch = Array(#"{"note": "limps", "corrected_label": "siamese"}"#.utf8)
            #expect(try await service.request("PATCH", "/history/\(id)", body: patch).status == 200)
            let nothing = try await service.request("GET", "/history?q=%00")
            #expect(try nothing.status == 400 && nothing.object()["field"] as? String == "q")
            let found = try await service.request("GET", "/history?q=LIMP&corrected=true&label=siamese")
            #expect(try found.items().compactMap { $0["id"] as? String } == [id])

            // The buyer reads about the breed, marks it as a favourite, and deletes the rest.
            #expect(try await service.request("PUT", "/breeds/siamese/favourite", body: []).status == 204)
            let favourite = try await service.request("GET", "/favourites").items()
            #expect(favourite.compactMap { $0["id"] as? String } == ["siamese"])
            let pictures = try await service.request("GET", "/breeds/siamese/photos").object()
            #expect(pictures["message"] as? [String] == ["/history/\(id)/photo"])
            let other = try #require(again["id"] as? String)
            let deleted = try await service.request("DELETE", "/history?id=\(other)&id=\(id)")
            #expect(deleted.status == 204 && deleted.headers["x-deleted-count"] == "2")
            #expect(try await service.request("GET", "/history").object()["total"] as? Int == 0)
            let undo = try #require(deleted.headers["link"]?.split(separator: ">").first?.dropFirst())
            let restored = try await service.request("POST", String(undo), body: [])
            #expect(try restored.object()["restored"] as? Int == 2, "\(restored.text)")
            #expect(try await service.request("POST", String(undo), body: []).status == 410)

            // The teacher views the collection, exports it and imports it again.
            let collection = try await service.request("GET", "/collection?lang=fi").object()
            let met = try #require(collection["items"] as? [[String: any Sendable]])
            #expect(met.contains { $0["label"] as? String == "siamese" && $0["count"] as? Int == 1 })
            let archive = try await service.request("GET", "/history/export?format=zip").body
            #expect(try await service.request("DELETE", "/history").status == 204)
            let report = try await service.request(
                "POST", "/history/import", headers: [("Content-Type", "application/zip")], body: archive)
            #expect(try report.object()["imported"] as? Int == 2, "\(report.text)")
            #expect(try await service.request("GET", "/history/\(id)/photo").status == 200)

            let integrity = try await service.history.checkIntegrity()
            #expect(integrity.problems == [])
            let backup = service.dataDirectory + "/backup"
            let summary = try await service.history.backup(to: backup)
            #expect(summary.problems == [])
            #expect(FileManager.default.fileExists(atPath: backup + "/history.sqlite"))
        }
    }

    @Test func undoEndsWithItsGrace() async throws {
        let photo = try #require(ClassifyTests.drawing)
        let clock = Locked(Date(timeIntervalSince1970: 1_800_000_000))
        try await withOwnService(now: { clock.withLock { $0 } }) { service in
            let id = try #require(try await service.classify(photo, query: "").object()["id"] as? String)
            let deleted = try await service.request("DELETE", "/history/\(id)")
            let undo = try #require(deleted.headers["link"]?.split(separator: ">").first?.dropFirst())
            clock.withLock { $0 += 601 }
            let late = try await service.request("POST", String(undo), body: [])
            #expect(late.status == 410 && late.text.contains("undo-expired"), "\(late.text)")
        }
    }
}
