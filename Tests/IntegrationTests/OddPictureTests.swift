import Foundation
import Imaging
import TestSupport
import Testing

@Suite("Odd pictures", .timeLimit(.minutes(5))) struct OddPictureTests {
    /// English phrases of uncertain answers.
    private static let cautious = ["I am not sure", "I don't recognise", "but I am not sure which"]

    private struct Answer {
        let message: String
        let species: String
        let head: String
        let abstained: Bool
        let first: String?
        let confidence: Double

        /// The answer claims only a kind, or something that is not an animal.
        var isCautious: Bool { abstained && OddPictureTests.cautious.contains { message.contains($0) } }
        /// The answer claims a breed.
        var namesBreed: Bool { (head == "cats" || head == "dogs") && !abstained }
    }

    private func ask(_ picture: Canvas, language: String = "en") async throws -> Answer {
        try await ask(picture.bitmap, type: "image/bmp", language: language)
    }

    private func ask(_ photo: [UInt8], type: String, language: String = "en") async throws -> Answer {
        try await withService { service in
            let response = try await service.classify(photo, query: "save=false&lang=\(language)", type: type)
            #expect(response.status == 200, "\(response.text)")
            let answer = try response.object()
            let first = (answer["predictions"] as? [[String: any Sendable]])?.first
            return Answer(
                message: answer["message"] as? String ?? "", species: answer["species"] as? String ?? "",
                head: answer["head"] as? String ?? "", abstained: answer["abstained"] as? Bool ?? false,
                first: first?["label"] as? String, confidence: first?["confidence"] as? Double ?? 0)
        }
    }

    /// Computer drawings: the answer never claims an animal.
    @Test(arguments: Drawn.allCases)
    func `a computer drawing is not an animal`(drawn: Drawn) async throws {
        let answer = try await ask(drawn.picture)
        print("odd \(drawn): \(answer)")
        #expect(!answer.namesBreed, "\(drawn): \(answer)")
        #expect(answer.head != "zoo" || answer.abstained, "\(drawn): \(answer)")
        // Writing and codes resemble printed matter. For the others nothing is claimed.
        if drawn == .text || drawn == .code {
            #expect(answer.head == "objects" && answer.species == "other", "\(drawn): \(answer)")
        } else {
            #expect(answer.isCautious, "\(drawn): \(answer)")
            #expect(answer.confidence < 0.27, "\(drawn): \(answer)")
        }
        let finnish = try await ask(drawn.picture, language: "fi")
        #expect(finnish.abstained == answer.abstained && finnish.message != answer.message)
    }

    private func photos(_ group: String, _ label: String, _ count: Int) throws -> [[UInt8]] {
        try SharedFolder.photos(group, label).prefix(count).map { [UInt8](try Data(contentsOf: $0)) }
    }

    private func sharp(_ group: String, _ label: String, _ count: Int) throws -> [[UInt8]] {
        let folder = SharedFolder.url.appending(path: "data/sharp/\(group)/\(label)")
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .sorted { $0.path < $1.path }.prefix(count).map { [UInt8](try Data(contentsOf: $0)) }
    }

    private func pixels(_ photo: [UInt8], _ side: Int) throws -> PixelBuffer {
        try ImageSource(photo).pixels(DecodeRequest(width: side, height: side))
    }

    @Test(
        .enabled(if: SharedFolder.isThere),
        arguments: [("object", "snoopy"), ("object", "garfield"), ("object", "teddy")])
    func `drawings and toys are no breed`(group: String, label: String) async throws {
        let photos = try sharp(group, label, 12)
        var named = 0
        for photo in photos {
            let answer = try await ask(photo, type: "image/avif")
            named += answer.namesBreed ? 1 : 0
            if answer.isCautious { print("odd \(label): \(answer.message)") }
        }
        #expect(photos.count >= 8 && named <= 1, "\(named) of \(photos.count)")
    }

    @Test(.enabled(if: SharedFolder.isThere)) func `people are people`() async throws {
        let photos = try sharp("object", "people", 30)
        var right = 0
        for photo in photos {
            let answer = try await ask(photo, type: "image/avif")
            #expect(!answer.namesBreed, "\(answer)")
            if answer.first == "person" {
                right += 1
                #expect(answer.message == "This looks like:" && answer.head == "objects" && answer.species == "other")
            }
        }
        #expect(right * 10 >= photos.count * 8, "\(right) of \(photos.count)")
    }

    @Test(.enabled(if: SharedFolder.isThere)) func `wild cats are no breed`() async throws {
        var (named, all) = (0, 0)
        for label in ["tiger", "lion", "snow_leopard", "cheetah", "leopard"] {
            for photo in try sharp("animal", label, 8) {
                let answer = try await ask(photo, type: "image/avif")
                all += 1
                named += answer.namesBreed ? 1 : 0
                if answer.abstained, answer.species == "other" { print("odd \(label): \(answer.message)") }
            }
        }
        #expect(all >= 30 && named <= 1, "\(named) of \(all)")
    }

    /// Captions above and below, an animal cut in half, and one of 12 pixels in a large field.
    @Test(.enabled(if: SharedFolder.isThere)) func `captions, cuts and specks`() async throws {
        let cats = try photos("cat", "siamese", 6)
        var (captions, cuts) = (0, 0)
        for photo in cats {
            let cat = try pixels(photo, 300)
            var meme = Canvas(width: 300, height: 420, grey: 255)
            meme.write(rows: 2, top: 10, scale: 4, seed: 3)
            meme.paste(cat, left: 0, top: 60)
            meme.write(rows: 2, top: 368, scale: 4, seed: 4)
            if try await ask(meme).species == "cat" { captions += 1 }

            var half = Canvas(width: 300, height: 300, grey: 128)
            half.paste(cat, left: 150, top: 0)
            let cut = try await ask(half)
            if cut.species == "cat" || cut.abstained { cuts += 1 }

            var field = Canvas(width: 900, height: 600, grey: 140)
            field.paste(try pixels(photo, 12), left: 440, top: 300)
            let speck = try await ask(field)
            #expect(!speck.namesBreed, "\(speck)")
        }
        #expect(captions >= 4, "\(captions) of \(cats.count)")
        #expect(cuts == cats.count)
    }
}

@Suite("Crowds of animals", .enabled(if: SharedFolder.isThere), .timeLimit(.minutes(5))) struct CrowdTests {
    @Test func `of thirty animals many are listed, each in its place, and the answer stays an animal`() async throws {
        var picture = Canvas(width: 1200, height: 1000, grey: 110)
        let labels = [("cat", "siamese"), ("dog", "beagle"), ("cat", "maine_coon"), ("dog", "pug")]
        for place in 0..<30 {
            let (group, label) = labels[place % labels.count]
            let files = try SharedFolder.photos(group, label)
            let photo = [UInt8](try Data(contentsOf: files[(place / labels.count) % files.count]))
            let pixels = try ImageSource(photo).pixels(DecodeRequest(width: 190, height: 190))
            picture.paste(pixels, left: place % 6 * 200 + 5, top: place / 6 * 200 + 5)
        }
        try await withService { service in
            let response = try await service.classify(
                picture.bitmap, query: "save=false&lang=en&animals=always", type: "image/bmp")
            #expect(response.status == 200, "\(response.text)")
            let answer = try response.object()
            let animals = answer["animals"] as? [[String: any Sendable]] ?? []
            let places = animals.map { box in
                let middle = { (edge: String, side: String) in
                    (box[edge] as? Double ?? -1) + (box[side] as? Double ?? 0) / 2
                }
                return Int(middle("y", "height") * 5) * 6 + Int(middle("x", "width") * 6)
            }
            print("odd crowd: \(animals.count) animals in \(Set(places).count) places, \(answer["message"] ?? "")")
            #expect(Set(places).count >= 12 && animals.count <= 40)
            let message = answer["message"] as? String ?? ""
            #expect(message.hasPrefix("There are \(animals.count) animals in this picture. "), "\(message)")
        }
    }
}

/// Pictures drawn by a formula.
enum Drawn: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case noise, black, white, red, gradient, text, code, line, column

    var testDescription: String { rawValue }

    var picture: Canvas {
        switch self {
        case .black: return Canvas(width: 300, height: 200, grey: 0)
        case .white: return Canvas(width: 300, height: 200, grey: 255)
        case .line: return Canvas(width: 4000, height: 1, grey: 90)
        case .column: return Canvas(width: 1, height: 4000, grey: 200)
        case .red:
            var picture = Canvas(width: 200, height: 200, grey: 0)
            picture.fill(left: 0, top: 0, width: 200, height: 200, [200, 20, 30])
            return picture
        case .gradient:
            var picture = Canvas(width: 256, height: 256, grey: 0)
            for row in 0..<256 {
                picture.fill(left: 0, top: row, width: 256, height: 1, [UInt8(row), 128, UInt8(255 - row)])
            }
            return picture
        case .noise:
            var picture = Canvas(width: 240, height: 240, grey: 0)
            picture.addNoise(seed: 5)
            return picture
        case .text:
            var picture = Canvas(width: 640, height: 400, grey: 255)
            picture.write(rows: 20, top: 12, scale: 2, seed: 1)
            return picture
        case .code:
            return Canvas.code(modules: 29, scale: 8)
        }
    }
}

/// An RGB picture to draw on, and its file.
struct Canvas: Sendable {
    let width: Int
    let height: Int
    private(set) var bytes: [UInt8]

    init(width: Int, height: Int, grey: UInt8) {
        self.width = width
        self.height = height
        bytes = [UInt8](repeating: grey, count: width * height * 3)
    }

    /// The next random number of 0…255.
    private static func next(_ state: inout UInt64) -> UInt8 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
    }

    mutating func fill(left: Int, top: Int, width: Int, height: Int, _ colour: [UInt8]) {
        for row in top..<top + height where (0..<self.height).contains(row) {
            for column in left..<left + width where (0..<self.width).contains(column) {
                for channel in 0..<3 { bytes[(row * self.width + column) * 3 + channel] = colour[channel] }
            }
        }
    }

    mutating func addNoise(seed: UInt64) {
        var state = seed
        for index in bytes.indices { bytes[index] = Self.next(&state) }
    }

    /// Parts outside the canvas are clipped.
    mutating func paste(_ picture: PixelBuffer, left: Int, top: Int) {
        for row in 0..<picture.height where (0..<height).contains(top + row) {
            for column in 0..<picture.width where (0..<width).contains(left + column) {
                for channel in 0..<3 {
                    bytes[((top + row) * width + left + column) * 3 + channel] =
                        picture.bytes[(row * picture.width + column) * 3 + channel]
                }
            }
        }
    }

    /// Lines of black letters of 5 × 7 dots from no real alphabet. Every sixth is a space.
    mutating func write(rows: Int, top: Int, scale: Int, seed: UInt64) {
        var state = seed
        for row in 0..<rows {
            for column in 0..<(width - 20) / (6 * scale) where column % 6 != 5 {
                for dot in 0..<35 where Self.next(&state) > 128 {
                    fill(
                        left: 10 + (column * 6 + dot % 5) * scale, top: top + (row * 9 + dot / 5) * scale, width: scale,
                        height: scale, [0, 0, 0])
                }
            }
        }
    }

    /// Resembles a QR code: random modules, a square in three corners and a white border.
    static func code(modules: Int, scale: Int) -> Canvas {
        var picture = Canvas(width: (modules + 8) * scale, height: (modules + 8) * scale, grey: 255)
        var state: UInt64 = 9
        func draw(_ column: Int, _ row: Int, _ side: Int, _ level: UInt8) {
            picture.fill(
                left: (column + 4) * scale, top: (row + 4) * scale, width: side * scale, height: side * scale,
                [level, level, level])
        }
        for row in 0..<modules {
            for column in 0..<modules where next(&state) > 128 { draw(column, row, 1, 0) }
        }
        for (column, row) in [(0, 0), (modules - 7, 0), (0, modules - 7)] {
            draw(column, row, 7, 0)
            draw(column + 1, row + 1, 5, 255)
            draw(column + 2, row + 2, 3, 0)
        }
        return picture
    }

    var bitmap: [UInt8] {
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let stride = (width * 3 + 3) / 4 * 4
        var file = Array("BM".utf8) + little(54 + stride * height, 4) + little(0, 4) + little(54, 4)
        file += little(40, 4) + little(width, 4) + little(height, 4) + little(1, 2) + little(24, 2)
        file += [UInt8](repeating: 0, count: 24)
        for row in (0..<height).reversed() {
            for column in 0..<width {
                let offset = (row * width + column) * 3
                file += [bytes[offset + 2], bytes[offset + 1], bytes[offset]]
            }
            file += [UInt8](repeating: 0, count: stride - width * 3)
        }
        return file
    }
}
