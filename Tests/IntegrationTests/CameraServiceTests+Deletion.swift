import Foundation
import TestSupport
import Testing

extension CameraServiceTests {
    @Test func aCameraThatIsTurnedOffAndDeletedLeavesNoSighting() async throws {
        try await film("long.mp4", cat: true, until: 120, of: 120)
        let service = try service()
        _ = try await add(service, #"{"name":"Porch","url":"file:long.mp4"}"#)
        try await eventually { try await !service.request("GET", "/cameras/porch/sightings").items().isEmpty }
        let off = try await service.request("PATCH", "/cameras/porch", body: #"{"enabled":false}"#)
        #expect(off.status == 200, "\(off.text)")
        #expect(try await service.request("DELETE", "/cameras/porch").status == 204)
        // Whoever was there becomes a scan. After it comes the sighting.
        try await eventually { try await !service.request("GET", "/history").items().isEmpty }
        try await Task.sleep(for: .seconds(1))
        let left = try FileManager.default.contentsOfDirectory(atPath: service.dataDirectory + "/cameras/sightings")
        #expect(left.filter { $0 != "tally.json" } == [])
    }

    @Test func aCameraThatIsDeletedWhileItIsChangedIsGone() async throws {
        let service = try service()
        for round in 0..<10 {
            #expect(try await add(service, #"{"name":"Yard","url":"rtsp://127.0.0.1:1/yard"}"#).status == 201)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...8 {
                    group.addTask {
                        let isDeletion = number == 1 + round % 8
                        let answer = try await service.request(
                            isDeletion ? "DELETE" : "PATCH", "/cameras/yard",
                            headers: [("Content-Type", "application/json")],
                            body: isDeletion ? "" : #"{"looks_per_second":\#(number)}"#)
                        #expect([200, 204, 404].contains(answer.status), "\(answer.text)")
                    }
                }
                try await group.waitForAll()
            }
            let stored = try String(contentsOfFile: service.dataDirectory + "/cameras/cameras.json", encoding: .utf8)
            #expect(stored == "[]", "\(stored)")
        }
    }
}
