import Base
import Foundation
import Recognition
import Storage
import Testing
import TestSupport
import Training

enum TrainingBench {
    /// All tests share one loaded model, since loading takes longest. Each test uses its own model names.
    private static let shared = Result { () throws -> (folder: TemporaryFolder, recogniser: Recogniser) in
        let folder = try TemporaryFolder()
        var options = RecogniserOptions(
            modelsDirectory: LiveService.package.appending(path: "Models").path, cores: 2)
        options.trainedModelsDirectory = folder.path + "/models"
        options.engine.cacheDirectory = CompiledModels.folder
        return (folder, try Recogniser(options: options))
    }

    static func withTraining(
        limits: TrainingLimits = TrainingLimits(), folderRoot: String? = nil, directory: String? = nil,
        _ body: (LiveService) async throws -> Void
    ) async throws {
        let (models, recogniser) = try Self.shared.get()
        let folder = try TemporaryFolder()
        var configuration = TrainingService.Configuration(
            directory: directory ?? folder.path + "/training", models: models.path + "/models")
        configuration.limits = limits
        configuration.folderRoot = folderRoot
        let service = try await LiveService(recogniser: recogniser, training: configuration)
        do {
            try await body(service)
        } catch {
            try? await service.stop()
            throw error
        }
        try await service.stop()
    }

    /// Two services with trainings on one database, with separate folders.
    static func withReplicas(_ body: (LiveService, LiveService) async throws -> Void) async throws {
        let backend = HistoryConfiguration.Backend.postgreSQL(
            connectionString: try PostgreSQLServer.shared.get().newDatabase())
        let folder = try TemporaryFolder()
        var services: [LiveService] = []
        var recognisers: [Recogniser] = []
        defer { recognisers.forEach { $0.stop() } }
        do {
            for name in ["first", "second"] {
                let models = "\(folder.path)/\(name)/models"
                var options = RecogniserOptions(
                    modelsDirectory: LiveService.package.appending(path: "Models").path, cores: 2)
                options.trainedModelsDirectory = models
                options.engine.cacheDirectory = CompiledModels.folder
                let recogniser = try Recogniser(options: options)
                recognisers.append(recogniser)
                services.append(
                    try await LiveService(
                        backend: backend, recogniser: recogniser,
                        training: TrainingService.Configuration(
                            directory: "\(folder.path)/\(name)/training", models: models)))
            }
            try await body(services[0], services[1])
        } catch {
            for service in services { try? await service.stop() }
            throw error
        }
        for service in services { try await service.stop() }
    }

    static func begin(
        _ service: LiveService, _ files: [(String, [UInt8])], query: String = "name=shapes"
    ) async throws -> RawResponse {
        try await service.request(
            "POST", "/training?\(query)", headers: [("Content-Type", "application/zip")], body: Pictures.zip(files))
    }

    /// Waits for the end of a training and returns it.
    static func end(_ service: LiveService, _ answer: RawResponse) async throws -> [String: any Sendable] {
        let url = try #require(answer.headers["location"], "\(answer.text)")
        while true {
            let record = try await service.request("GET", url).object()
            let state = record["state"] as? String ?? ""
            if ["done", "failed", "cancelled"].contains(state) { return record }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    static func label(_ service: LiveService, _ photo: [UInt8], _ model: String) async throws -> String {
        let answer = try await service.classify(photo, query: "save=false&model=\(model)", type: "image/bmp")
        guard answer.status == 200 else { return "\(answer.status)" }
        return (try answer.predictions().first?.split(separator: " ").first).map(String.init) ?? "none"
    }
}

/// Pictures of clearly different classes, each slightly different.
enum Pictures {
    static func files(count: Int, noise: Int = 40) -> [(String, [UInt8])] {
        (0..<count).flatMap { index in
            [
                ("disc/\(index).bmp", disc(seed: index * 2, noise: noise)),
                ("stripes/\(index).bmp", stripes(seed: index * 2 + 1, noise: noise)),
            ]
        }
    }

    /// The same pictures with the classes swapped.
    static func turned(_ files: [(String, [UInt8])]) -> [(String, [UInt8])] {
        files.map { name, bytes in
            (name.hasPrefix("disc") ? "stripes" + name.dropFirst(4) : "disc" + name.dropFirst(7), bytes)
        }
    }

    static func zip(_ files: [(String, [UInt8])]) -> [UInt8] {
        var writer = ZIPWriter()
        var bytes: [UInt8] = []
        for (name, contents) in files {
            bytes += writer.entry(name, contents, modified: Date(timeIntervalSince1970: 0))
        }
        return bytes + writer.finish()
    }

    static func disc(seed: Int, noise: Int = 40) -> [UInt8] {
        picture(seed, noise) { x, y, shift in
            let (dx, dy) = (x - 48 - shift, y - 48 + shift)
            return dx * dx + dy * dy < 30 * 30 ? (210, 40, 40) : (230, 230, 220)
        }
    }

    static func stripes(seed: Int, noise: Int = 40) -> [UInt8] {
        picture(seed, noise) { x, y, shift in (x + y + shift) / 12 % 2 == 0 ? (30, 60, 180) : (240, 240, 240) }
    }

    /// A bitmap of 96 × 96 pixels (BITMAPINFOHEADER, 24 bits, bottom up).
    private static func picture(
        _ seed: Int, _ noise: Int, _ colour: (Int, Int, Int) -> (Int, Int, Int)
    ) -> [UInt8] {
        let side = 96
        var state = UInt64(seed &* 7_919 &+ 12_345)
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        let shift = random(25) - 12
        var pixels: [UInt8] = []
        for y in 0..<side {
            for x in 0..<side {
                let (red, green, blue) = colour(x, y, shift)
                for level in [blue, green, red] {
                    pixels.append(UInt8(min(max(level + random(noise) - noise / 2, 0), 255)))
                }
            }
        }
        func little(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
        return Array("BM".utf8) + little(54 + pixels.count, 4) + little(0, 4) + little(54, 4) + little(40, 4)
            + little(side, 4) + little(side, 4) + little(1, 2) + little(24, 2) + little(0, 4)
            + little(pixels.count, 4) + little(2_835, 4) + little(2_835, 4) + little(0, 4) + little(0, 4) + pixels
    }
}
