import Base
import Foundation
import Recognition
import Storage
import Testing
import TestSupport

@testable import Training

@Suite(.serialized, .enabled(if: PostgreSQLServer.isAvailable)) struct SharedTrainingTests {
    /// Waits until a replica has learnt of the other's change.
    private func eventually<Value: Equatable>(
        _ wanted: Value, _ body: () async throws -> Value, _ comment: String = "", line: Int = #line
    ) async throws {
        var found = try await body()
        for _ in 0..<600 where found != wanted {
            try await Task.sleep(for: .milliseconds(100))
            found = try await body()
        }
        #expect(found == wanted, "line \(line) \(comment)")
    }

    @Test func `a version that is deployed at one replica answers at the other`() async throws {
        try await TrainingBench.withReplicas { first, second in
            let (red, blue) = (Pictures.disc(seed: 900), Pictures.stripes(seed: 901))
            let begun = try await TrainingBench.begin(first, Pictures.files(count: 12))
            let record = try await TrainingBench.end(first, begun)
            let url = try #require(record["url"] as? String, "\(record)")
            try await eventually("done") { try await second.request("GET", url).object()["state"] as? String }
            #expect(try await TrainingBench.label(second, red, "shapes") == "404")
            #expect(try await TrainingBench.label(second, red, "shapes@1") == "disc")
            let report = try await second.request("GET", url + "/report")
            let original = try await first.request("GET", url + "/report")
            #expect(report.status == 200 && report.body == original.body)

            // The model is deployed on the replica that did not train it, attached to the base model.
            let deployed = try await second.request("PUT", url + "/deployment?attach=true", body: [])
            #expect(deployed.status == 200, "\(deployed.text)")
            #expect(try await TrainingBench.label(second, red, "shapes") == "disc")
            try await eventually("disc") { try await TrainingBench.label(first, red, "shapes") }
            #expect(try await TrainingBench.label(first, blue, "shapes") == "stripes")
            try await eventually(true) {
                let result = try await first.request("GET", url).object()["result"] as? [String: any Sendable]
                return result?["attached"] as? Bool == true && result?["deployed"] as? Bool == true
            }

            // Both replicas train the name at once. Their versions get different numbers.
            let turned = Pictures.turned(Pictures.files(count: 12))
            async let here = TrainingBench.begin(first, turned)
            async let there = TrainingBench.begin(second, turned)
            var versions: [String] = []
            var urls: [String] = []
            for (service, answer) in [(first, try await here), (second, try await there)] {
                let ended = try await TrainingBench.end(service, answer)
                versions.append(try #require((ended["result"] as? [String: any Sendable])?["version"] as? String))
                urls.append(try #require(ended["url"] as? String))
            }
            #expect(versions.sorted() == ["2", "3"])
            try await eventually(200) { try await second.request("GET", urls[0] + "/report").status }
            #expect(try await second.request("PUT", urls[0] + "/deployment", body: []).status == 200)
            try await eventually("stripes") { try await TrainingBench.label(first, red, "shapes") }

            // One replica withdraws and removes the model. The other one no longer has it.
            #expect(try await first.request("DELETE", urls[0] + "/deployment").status == 200)
            try await eventually("disc") { try await TrainingBench.label(second, red, "shapes") }
            #expect(try await first.request("DELETE", urls[1]).status == 204)
            try await eventually(404) { try await second.request("GET", urls[1]).status }
            try await eventually(["404"]) {
                [try await TrainingBench.label(second, red, "shapes@\(versions[1])")]
            }
            // The last version takes the model's folder along, at both replicas.
            #expect(try await first.request("DELETE", url + "/deployment").status == 200)
            for url in [urls[0], url] { #expect(try await first.request("DELETE", url).status == 204) }
            for service in [first, second] {
                let folder = try #require(service.training?.folder.root) + "/shapes"
                try await eventually(false) { FileManager.default.fileExists(atPath: folder) }
            }
        }
    }

    @Test func `a training goes on at another replica where its own one ends`() async throws {
        try await TrainingBench.withReplicas { first, second in
            let begun = try await TrainingBench.begin(first, Pictures.files(count: 100))
            let url = try #require(begun.headers["location"], "\(begun.text)")
            try await eventually("looking") { try await first.request("GET", url).object()["state"] as? String }
            await first.training?.stop()
            try await eventually("done") { try await second.request("GET", url).object()["state"] as? String }
            #expect(try await TrainingBench.label(second, Pictures.disc(seed: 900), "shapes@1") == "disc")
            // Its photos are deleted.
            try await eventually(0) { try await second.history.files?.bytes(under: "training/") ?? -1 }
        }
    }

    @Test func `a training is cancelled at whichever replica`() async throws {
        try await TrainingBench.withReplicas { first, second in
            let begun = try await TrainingBench.begin(first, Pictures.files(count: 200))
            let url = try #require(begun.headers["location"], "\(begun.text)")
            try await eventually(200) { try await second.request("GET", url).status }
            #expect(try await second.request("DELETE", url).status == 204)
            for service in [first, second] {
                try await eventually("cancelled") { try await service.request("GET", url).object()["state"] as? String }
            }
        }
    }

    @Test func `the other replica reports the progress of a training too`() async throws {
        try await TrainingBench.withReplicas { first, second in
            let begun = try await TrainingBench.begin(first, Pictures.files(count: 200))
            let url = try #require(begun.headers["location"], "\(begun.text)")
            try await eventually(200) { try await second.request("GET", url).status }
            // The stream of events ends with the training.
            let events = try await second.request("GET", url + "/events").text
            let record = try await first.request("GET", url).object()
            #expect(record["state"] as? String == "done", "\(record)")
            let told = events.split(separator: "\n").filter { $0.hasPrefix("event:") }
            #expect(told.last == "event: done" && told.filter { $0 == "event: done" }.count == 1, "\(events)")
            let iterations = try #require(record["iterations"] as? [Any])
            #expect(told.filter { $0 == "event: iteration" }.count == iterations.count)
            let steps = events.matches(of: /"progress":([0-9.]+)/).compactMap { Double($0.1) }
            #expect(steps == steps.sorted() && steps.contains { $0 > 0 && $0 < 0.8 }, "\(steps)")
        }
    }

    /// The replica that gets the request has not yet learnt of the end.
    @Test func `a finished job is not cancelled`() async throws {
        try await TrainingBench.withReplicas { first, second in
            let begun = try await TrainingBench.begin(first, Pictures.files(count: 6))
            let record = try await TrainingBench.end(first, begun)
            try await eventually("done") {
                try await second.request("GET", record["url"] as? String ?? "").object()["state"] as? String
            }
            let done = try #require(try await second.history.scans.jobs("training", limit: 1, older: nil).items.first)

            // A copy of the training looks as if the first replica were still working on it.
            await first.training?.stop()
            let id = ULID.next()
            #expect(try await first.history.claims?.claim(id, for: 600) == true)
            func row(_ state: String) throws -> JobRow {
                var document = try #require(
                    JSONSerialization.jsonObject(with: Data(done.document.utf8)) as? [String: any Sendable])
                (document["id"], document["state"]) = ("\(id)", state)
                return JobRow(
                    id: id, kind: done.kind, state: state,
                    document: String(decoding: try JSONSerialization.data(withJSONObject: document), as: UTF8.self))
            }
            let state = { try await second.request("GET", "/training/\(id)").object()["state"] as? String }
            try await second.history.scans.saveJob(try row("saving"))
            await first.history.notify(.trainings)
            try await eventually("saving") { try await state() }
            let ended = try row("done")
            try await second.history.scans.saveJob(ended)
            #expect(try await second.request("DELETE", "/training/\(id)").status == 409)
            #expect(try await state() == "done")
            #expect(try await second.history.scans.job("training", id: id) == ended)
            #expect(try await TrainingBench.label(second, Pictures.disc(seed: 900), "shapes@1") == "disc")
        }
    }

    // MARK: Deployments, versions

    @Test func `deployments made at once reach the disk in the order of the database`() async throws {
        try await TrainingBench.withReplicas { first, _ in
            let training = try #require(first.training)
            try FileSystem.makeDirectory("\(training.folder.root)/shapes")
            for _ in 0..<20 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for version in 1...20 {
                        group.addTask { try await training.change("shapes") { $0.deploy("\(version)") } }
                    }
                    try await group.waitForAll()
                }
                let shared = try #require(try await first.history.files?.file("models/shapes/deployment.json"))
                let here = try training.folder.deployment(of: "shapes").json()
                #expect(String(decoding: here, as: UTF8.self) == String(decoding: shared, as: UTF8.self))
            }
        }
    }

    @Test func `a fetched version does not come between a deployment and its file`() async throws {
        try await TrainingBench.withReplicas { first, _ in
            let training = try #require(first.training)
            let (mayEnd, hasBegun) = (DispatchSemaphore(value: 0), Locked(false))
            // Simulates a deployment that is being written.
            let deployment = Task {
                try await training.turn.run {
                    hasBegun.withLock { $0 = true }
                    mayEnd.wait()
                }
            }
            try await eventually(true) { hasBegun.withLock { $0 } }
            try await first.history.files?.replace(["models/shapes/1/manifest.json": [1]])
            let fetch = Task { await training.adoptModels() }
            try await Task.sleep(for: .seconds(1))
            #expect(!training.folder.holds("shapes", "1"))
            mayEnd.signal()
            try await deployment.value
            await fetch.value
            #expect(training.folder.holds("shapes", "1"))
        }
    }

    @Test func `the number of a removed version is not used again`() async throws {
        try await TrainingBench.withReplicas { first, second in
            let models = try #require(first.training?.models)
            let training = ULID.next()
            #expect(try await models.newVersion(of: "shapes", training: training) == "1")
            #expect(try await models.newVersion(of: "shapes", training: training) == "1")
            try await models.remove("shapes", "1")
            #expect(try await models.newVersion(of: "shapes", training: .next()) == "2")
            #expect(try await second.training?.models?.newVersion(of: "shapes", training: .next()) == "3")
        }
    }
}
