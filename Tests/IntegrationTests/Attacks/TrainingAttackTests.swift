import Foundation
import TestSupport
import Testing
import Training

/// Uploads that try to exhaust the memory, the classes or the disk of a training.
@Suite(.serialized) struct TrainingAttackTests {
    private typealias Object = [String: any Sendable]

    /// Makes a ZIP archive in Python. The script's variable `archive` is the open file.
    private func archive(_ script: String) async throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let path = folder.path + "/bomb.zip"
        let made = try await Program(path: "/usr/bin/env").run([
            "python3", "-c",
            """
            import sys, zipfile
            archive = zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED)
            \(script)
            archive.close()
            """, path,
        ])
        try #require(made.status == 0, "\(made.errors)")
        return [UInt8](try Data(contentsOf: URL(filePath: path)))
    }

    private func send(_ service: LiveService, _ archive: [UInt8], _ name: String) async throws -> RawResponse {
        try await service.request(
            "POST", "/training?name=\(name)", headers: [("Content-Type", "application/zip")], body: archive)
    }

    /// A file of 2 GB of zeros is named in the answer, but never unpacked.
    @Test func aFileThatUnpacksToGigabytesIsLeftOut() async throws {
        let bomb = try await archive(
            """
            entry = zipfile.ZipInfo("disc/bomb.bmp")
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w", force_zip64=True) as file:
                for _ in range(2048): file.write(bytes(1 << 20))
            """)
        #expect(bomb.count < 3_000_000)
        try await TrainingBench.withTraining { service in
            let alone = try await send(service, bomb, "bomb")
            #expect(alone.status == 422 && alone.text.contains("The only file cannot be used"), "\(alone.text)")
        }
    }

    /// The archive's directory states a small size. No more than that is unpacked.
    @Test func aFileThatLiesAboutItsSizeIsLeftOut() async throws {
        let photos = Pictures.files(count: 4)
        let folder = try TemporaryFolder()
        for (name, bytes) in photos { try folder.write(bytes, name) }
        var bomb = try await archive(
            """
            import pathlib
            for photo in sorted(pathlib.Path("\(folder.path)").rglob("*.bmp")):
                archive.write(photo, f"{photo.parent.name}/{photo.name}")
            archive.writestr("disc/liar.bmp", bytes(300 << 20))
            """)
        // Changes the unpacked size of the last entry from 300 MB to 20,000.
        let size = [UInt8]((300 << 20).littleEndianBytes), small = [UInt8](20_000.littleEndianBytes)
        let places = bomb.indices.dropLast(4).filter { Array(bomb[$0..<$0 + 4]) == size }
        #expect(places.count == 2)
        for place in places { bomb.replaceSubrange(place..<place + 4, with: small) }
        try await TrainingBench.withTraining { service in
            let record = try await TrainingBench.end(service, send(service, bomb, "liar"))
            #expect(record["state"] as? String == "done", "\(record)")
            let skipped = try #require(record["skipped"] as? [Object])
            #expect(skipped.map { $0["file"] as? String } == ["disc/liar.bmp"], "\(skipped)")
            #expect((skipped[0]["why"] as? String)?.contains("packed") == true, "\(skipped)")
        }
    }

    @Test func tenThousandClassesAreTooMany() async throws {
        let many = try await archive(
            """
            for label in range(10000):
                archive.writestr(f"c{label}/1.bmp", b"1")
                archive.writestr(f"c{label}/2.bmp", b"2")
            """)
        try await TrainingBench.withTraining { service in
            let answer = try await send(service, many, "many")
            #expect(answer.status == 422 && answer.text.contains("10000 classes; at most 500"), "\(answer.text)")
            #expect(try await service.request("GET", "/training").object()["total"] as? Int == 0)
        }
    }

    /// The disk fills up during the upload, and while the model is written.
    @Test(.enabled(if: SmallFileSystem.obstacle == nil)) func aDiskThatFillsIsSaidAndLeavesNothingHalfWritten()
        async throws
    {
        let folder = try TemporaryFolder()
        let disks = try ["training", "models"].map { name in
            try FileManager.default.createDirectory(
                atPath: folder.path + "/data/" + name, withIntermediateDirectories: true)
            // An upload leaves 32 MiB free, a model nothing.
            return try SmallFileSystem(at: folder.path + "/data/" + name, megabytes: name == "training" ? 34 : 2)
        }
        defer { for disk in disks { disk.unmount() } }
        let service = try ServiceProcess(in: folder)
        func post(_ count: Int) async throws -> RawResponse {
            try await service.request(
                "POST", "/training?name=full&augment=none", headers: [("Content-Type", "application/zip")],
                body: Pictures.zip(Pictures.files(count: count)))
        }
        func entries(_ name: String) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder.path + "/data/" + name)
                .filter { !["features", ".training"].contains($0) }
        }
        let full = try await post(80)
        #expect(full.status == 507 && full.text.contains("/problems/storage-full"), "\(full.text)")
        // The answer may arrive slightly before the upload is deleted.
        try await eventually { try entries("training") == [] && entries("models") == [] }

        // There is room for the photos but not for the model of 5 MB.
        let taken = try await post(6)
        #expect(taken.status == 202, "\(taken.text)")
        let url = try #require(taken.headers["location"])
        func end(of path: String) async throws -> [String: any Sendable] {
            try await service.object(path) { ["done", "failed"].contains($0["state"] as? String) }
        }
        var record = try await end(of: url)
        #expect(record["state"] as? String == "failed", "\(record)")
        #expect((record["problem"] as? [String: any Sendable])?["code"] as? String == "disk-full", "\(record)")
        let left = FileManager.default.subpaths(atPath: folder.path + "/data/models") ?? []
        #expect(left.allSatisfy { !$0.contains("model.onnx") && !$0.contains("manifest") }, "\(left)")
        #expect(try await service.request("GET", "/models/full").status == 404)

        // With more room the training succeeds.
        try disks[1].enlarge(toMegabytes: 40)
        try disks[0].enlarge(toMegabytes: 40)
        let second = try #require(try await post(6).headers["location"])
        record = try await end(of: second)
        #expect(record["state"] as? String == "done", "\(record)")
        try await service.kill()
    }
}

extension Int {
    /// The format of a 32-bit number in a ZIP archive.
    fileprivate var littleEndianBytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }
}
