import Base
import Foundation
import Imaging
import Recognition
import Streams
import TestSupport
import Testing

/// The analyser with the real classifier and YOLOX-Nano, on real photos.
@Suite(.enabled(if: SharedFolder.isThere), .timeLimit(.minutes(5))) struct FrameAnalyserTests {
    private static let recogniser = Result {
        let folder = try TemporaryFolder()
        let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/menagerie", withDestinationPath: package.appending(path: "Models/menagerie").path)
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/detector/1", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/detector/1/yolox_nano.onnx",
            withDestinationPath: SharedFolder.url.appending(path: "models/third_party/yolox_nano.onnx").path)
        return (folder, try recogniser(in: folder))
    }

    private static func recogniser(in folder: TemporaryFolder) throws -> Recogniser {
        var options = RecogniserOptions(modelsDirectory: folder.path, cores: 2)
        options.engine.cacheDirectory = CompiledModels.folder
        return try Recogniser(options: options)
    }

    private func analyser(_ options: AnalyserOptions = AnalyserOptions()) throws -> FrameAnalyser {
        FrameAnalyser(recogniser: try Self.recogniser.get().1, options: options)
    }

    /// A real photo of one Maine Coon.
    private func cat() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: SharedFolder.photos("cat", "maine_coon")[1]))
    }

    @Test func `A cat gets one track, its breed and a stable answer`() async throws {
        let (analyser, photo) = (try analyser(), try cat())
        var answers: [FrameAnswer] = []
        for frame in 0..<6 {
            answers.append(try await analyser.analyse(.file(photo), atMilliseconds: Double(frame) * 100))
        }
        #expect(answers.allSatisfy { $0.boxes.count == 1 && $0.boxes[0].object.track == 1 })
        let box = try #require(answers.last?.boxes.first)
        #expect(box.name.label == "cat")
        #expect(box.name.breeds?.first?.label == "maine_coon")
        #expect(answers.map { $0.stable != nil } == [false, false, true, true, true, true])
        #expect(answers.last?.stable?.label == "maine_coon")
        #expect(answers.last?.stable?.sinceMilliseconds == 200)
        // Equal frames give equal votes.
        let (first, last) = (try #require(answers.first), try #require(answers.last))
        #expect(first.classification.predictions(3).map(\.label) == last.classification.predictions(3).map(\.label))
    }

    @Test func `Pixels are answered as the file is`() async throws {
        let photo = try cat()
        let source = try ImageSource(photo)
        let (pixels, info) = (try source.pixels(DecodeRequest(width: 640, height: 480, crop: .fit)), source.info())
        #expect(info.width > 0)
        let answer = try await analyser().analyse(.pixels(pixels), atMilliseconds: 0)
        #expect(answer.boxes.map(\.name.label) == ["cat"])
        #expect(answer.boxes.first?.name.breeds?.first?.label == "maine_coon")
    }

    @Test func `A frame a minute is answered like any other, and is a new track each time`() async throws {
        let (analyser, photo) = (try analyser(AnalyserOptions(consensus: 1)), try cat())
        for minute in 0..<3 {
            let answer = try await analyser.analyse(.file(photo), atMilliseconds: Double(minute) * 60_000)
            #expect(answer.boxes.map(\.object.track) == [minute + 1], "\(minute)")
            #expect(answer.classification.predictions(1).map(\.label) == ["maine_coon"])
            #expect(answer.stable?.label == "maine_coon")
        }
    }

    @Test func `Frames that are seen at the same time are answered as those that are seen one by one`() async throws {
        let (together, alone, photo) = (try analyser(), try analyser(), try cat())
        let seen = try await withThrowingTaskGroup(of: (Int, FrameInference).self) { group in
            for frame in 0..<4 { group.addTask { (frame, try await together.infer(.file(photo))) } }
            return try await group.reduce(into: [Int: FrameInference]()) { $0[$1.0] = $1.1 }
        }
        for frame in 0..<4 {
            let time = Double(frame) * 100
            let one = try await together.analyse(
                try #require(seen[frame]), of: .file(photo), atMilliseconds: time)
            let other = try await alone.analyse(.file(photo), atMilliseconds: time)
            #expect(one.boxes.map(\.object.track) == other.boxes.map(\.object.track))
            #expect(one.boxes.map(\.region) == other.boxes.map(\.region))
            #expect(one.stable == other.stable)
            #expect(
                one.classification.predictions(3).map(\.confidence)
                    == other.classification.predictions(3).map(\.confidence))
            #expect(
                one.boxes.first?.name.breeds?.first?.confidence == other.boxes.first?.name.breeds?.first?.confidence)
        }
    }

    @Test func `Without a detector frames are classified all the same`() async throws {
        let analyser = try analyser(AnalyserOptions(detects: false, consensus: 1))
        let answer = try await analyser.analyse(.file(try cat()), atMilliseconds: 0)
        #expect(!answer.wasSearched && answer.boxes.isEmpty)
        #expect(answer.stable?.label == "maine_coon")
    }

    @Test func `A tap is named after the breed of its cat, and a tap beside it marks a place`() async throws {
        let (analyser, photo) = (try analyser(), try cat())
        let before = try await analyser.analyse(.file(photo), atMilliseconds: 0)
        let region = try #require(before.boxes.first?.region)
        await analyser.follow(Tap(id: "on", x: region.x + region.width / 2, y: region.y + region.height / 2))
        await analyser.follow(Tap(id: "off", x: region.x > 0.05 ? region.x / 2 : 0.99, y: 0.01))
        let taps = try await analyser.analyse(.file(photo), atMilliseconds: 100).taps
        #expect(taps.map(\.id) == ["on", "off"])
        #expect(taps.first?.track == 1)
        #expect(taps.first?.name?.kind?.prediction.label == "maine_coon")
        #expect(taps.first?.name?.kind?.head == "cats")
        #expect(taps.last?.track == nil)
        // The place shows either the nearby cat or nothing. Both are reported.
        #expect(taps.last.map { ($0.name != nil) != $0.isNothing } == true)
        #expect(await analyser.forget(tap: "on"))
        #expect(await analyser.forget(tap: "on") == false)
        #expect(try await analyser.analyse(.file(photo), atMilliseconds: 200).taps.map(\.id) == ["off"])
    }

    @Test func `A broken frame is reported and changes nothing`() async throws {
        let (analyser, photo) = (try analyser(), try cat())
        for frame in 0..<3 { _ = try await analyser.analyse(.file(photo), atMilliseconds: Double(frame) * 100) }
        await #expect(throws: ImagingError.notAnImage) {
            try await analyser.analyse(.file(Array("no picture".utf8)), atMilliseconds: 300)
        }
        await #expect(throws: ImagingError.self) {
            try await analyser.analyse(.file(Array(photo.prefix(photo.count / 2))), atMilliseconds: 400)
        }
        let answer = try await analyser.analyse(.file(photo), atMilliseconds: 500)
        #expect(answer.boxes.map(\.object.track) == [1])
        #expect(answer.stable?.label == "maine_coon")
    }

    @Test func `Models that are not there are refused, and the others go on`() async throws {
        let (analyser, photo) = (try analyser(), try cat())
        _ = try await analyser.analyse(.file(photo), atMilliseconds: 0)
        await #expect(throws: RecognitionError.unknownModel("nothing")) {
            try await analyser.apply(AnalyserOptions(model: "nothing"))
        }
        #expect(try await analyser.analyse(.file(photo), atMilliseconds: 100).boxes.map(\.object.track) == [1])
        try await analyser.apply(AnalyserOptions(model: "detector"))
        #expect(try await analyser.analyse(.file(photo), atMilliseconds: 200).boxes.map(\.object.track) == [1])
    }

    /// Adds the shipped classifier to a folder under another name or version.
    ///
    /// - Parameter isNaming: whether it names boxes together with a detector.
    private func install(_ name: String, version: String, isNaming: Bool, in folder: TemporaryFolder) throws {
        let shipped = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Models/menagerie").standardized
        let target = URL(filePath: folder.path).appending(path: "\(name)/\(version)")
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        let files = try FileManager.default.contentsOfDirectory(atPath: shipped.path)
        for file in files where file != "manifest.json" {
            try FileManager.default.createSymbolicLink(
                at: target.appending(path: file), withDestinationURL: shipped.appending(path: file))
        }
        let manifest = try Data(contentsOf: shipped.appending(path: "manifest.json"))
        var members = try #require(JSONSerialization.jsonObject(with: manifest) as? [String: Any])
        (members["name"], members["version"]) = (name, version)
        if !isNaming { members["regions"] = nil }
        try JSONSerialization.data(withJSONObject: members).write(to: target.appending(path: "manifest.json"))
    }

    /// The version may be another one of the same model, or that of a model that has become the default.
    @Test(arguments: ["menagerie", "other"])
    func `What answers from the next frame on names the tracks by its own rules`(_ next: String) async throws {
        let (folder, photo) = (try TemporaryFolder(), try cat())
        try install("menagerie", version: "1", isNaming: true, in: folder)
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/detector", withDestinationPath: try Self.recogniser.get().0.path + "/detector")
        let recogniser = try Self.recogniser(in: folder)
        defer { recogniser.models.stop() }
        let analyser = FrameAnalyser(recogniser: recogniser)
        for frame in 0..<3 {
            let box = try await analyser.analyse(.file(photo), atMilliseconds: Double(frame) * 100).boxes.first
            #expect(box?.name.breeds?.first?.label == "maine_coon")
        }
        try install(next, version: "2", isNaming: false, in: folder)
        try await recogniser.models.load(ModelReference(name: next))
        try await recogniser.models.makeDefault(ModelReference(name: next))
        let answer = try await analyser.analyse(.file(photo), atMilliseconds: 300)
        #expect(answer.classification.modelName == next && answer.classification.modelVersion == "2")
        let box = try #require(answer.boxes.first)
        #expect(box.object.track == 1 && box.name.label == "cat" && box.name.breeds == nil)
    }
}
