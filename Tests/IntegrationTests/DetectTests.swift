import Base
import Foundation
import Imaging
import TestSupport
import Testing

@Suite("Boxes over HTTP", .enabled(if: SharedFolder.isThere), .timeLimit(.minutes(5))) struct DetectTests {
    /// A real photo of one Maine Coon.
    private func cat() throws -> [UInt8] {
        [UInt8](try Data(contentsOf: SharedFolder.photos("cat", "maine_coon")[1]))
    }

    private func detect(
        _ all: ServiceWithModels, _ photo: [UInt8], query: String = "", type: String = "image/jpeg",
        accept: String? = nil
    ) async throws -> RawResponse {
        let headers = [("Content-Type", type)] + (accept.map { [("Accept", $0)] } ?? [])
        return try await all.service.request("POST", "/detect?\(query)", headers: headers, body: photo)
    }

    private func boxes(_ answer: RawResponse) throws -> [[String: any Sendable]] {
        #expect(answer.status == 200, "\(answer.text)")
        return try #require(try answer.object()["boxes"] as? [[String: any Sendable]], "\(answer.text)")
    }

    @Test func aCatIsFoundWithItsBreed() async throws {
        let photo = try cat()
        try await ServiceWithModels.with(squeezenets: []) { all in
            let answer = try await detect(all, photo)
            let object = try answer.object()
            #expect(Set(object.keys) == ["width", "height", "boxes", "model", "image", "timing"])
            #expect((object["model"] as? [String: any Sendable])?["name"] as? String == "detector")
            let box = try #require(try boxes(answer).first)
            #expect(box["label"] as? String == "cat" && box["name"] as? String == "Cat")
            let confidence = try #require(box["confidence"] as? Double)
            #expect(confidence > 0.7 && box["percent"] as? String == confidence.percent)
            for key in ["x", "y", "width", "height"] { #expect((0...1).contains(box[key] as? Double ?? -1)) }
            let breed = try #require(box["breed"] as? [String: any Sendable])
            #expect(breed["label"] as? String == "maine_coon" && breed["url"] as? String == "/breeds/maine_coon")
            #expect((box["predictions"] as? [any Sendable])?.count == 3)
            let finnish = try await detect(all, photo, query: "lang=fi")
            #expect(finnish.headers["content-language"] == "fi" && finnish.headers["server-timing"] != nil)
            #expect(try boxes(finnish).first?["name"] as? String == "Kissa")
        }
    }

    @Test func everyFormOfUploadGivesTheSameBoxes() async throws {
        let photo = try cat()
        try await ServiceWithModels.with(squeezenets: []) { all in
            func summary(_ boxes: [[String: any Sendable]]) -> [String] {
                boxes.map { box in
                    ["label", "confidence", "x", "y", "width", "height"].map { "\(box[$0] ?? "")" }
                        .joined(separator: " ")
                }
            }
            let raw = summary(try boxes(try await detect(all, photo)))
            #expect(!raw.isEmpty)
            let form = "multipart/form-data; boundary=b"
            let single = try await detect(all, Form.body([("image", photo)]), type: form)
            #expect(summary(try boxes(single)) == raw)
            let base64 = #"{"image": ""# + Data(photo).base64EncodedString() + #""}"#
            #expect(summary(try boxes(try await detect(all, Array(base64.utf8), type: "application/json"))) == raw)
            let several = try await detect(
                all, Form.body([("image", photo), ("image", Array("no picture".utf8)), ("image", photo)]), type: form)
            let results = try #require(try several.object()["results"] as? [[String: any Sendable]])
            #expect(results.compactMap { $0["status"] as? Int } == [200, 415, 200])
            #expect(summary(try #require(results[2]["boxes"] as? [[String: any Sendable]])) == raw)
        }
    }

    @Test func thresholdLimitAndTilesAreRead() async throws {
        let photo = try cat()
        try await ServiceWithModels.with(squeezenets: []) { all in
            #expect(try boxes(try await detect(all, photo, query: "threshold=1")).isEmpty)
            let many = try boxes(try await detect(all, photo, query: "threshold=0.01&limit=100"))
            #expect(many.count > 3)
            let confidences = many.compactMap { $0["confidence"] as? Double }
            #expect(confidences == confidences.sorted(by: >))
            #expect(try boxes(try await detect(all, photo, query: "threshold=0.01&limit=2")).count == 2)
            #expect(
                try boxes(try await detect(all, photo, query: "tiles=2&threshold=0.2")).contains {
                    $0["label"] as? String == "cat"
                })
            for query in [
                "threshold=2", "threshold=x", "threshold=0x1p-4", "threshold=.5", "tiles=%2B2", "limit=0", "limit=101",
                "tiles=0", "tiles=5", "tiles=all", "top=3",
            ] {
                let answer = try await detect(all, photo, query: query)
                #expect(answer.status == 400 && answer.text.contains(query.prefix { $0 != "=" }), "\(query)")
            }
            #expect(try await detect(all, Array("no picture".utf8)).status == 415)
            #expect(try await detect(all, photo, type: "text/plain").status == 415)
        }
    }

    @Test func thePictureComesWithTheBoxesDrawn() async throws {
        let photo = try cat()
        try await ServiceWithModels.with(squeezenets: []) { all in
            let plain = try await detect(all, photo, query: "annotate=true", accept: "application/json")
            let box = try #require(try boxes(plain).first)
            let answer = try await detect(all, photo, query: "annotate=true", accept: "image/jpeg")
            #expect(answer.status == 200 && answer.headers["content-type"] == "image/jpeg")
            #expect(answer.headers["vary"]?.contains("Accept") == true)
            let source = try ImageSource(answer.body)
            let (picture, info) = (
                try source.pixels(DecodeRequest(width: 500, height: 500, crop: .fill)), source.info()
            )
            let originalSource = try ImageSource(photo)
            let original = (
                pixels: try originalSource.pixels(DecodeRequest(width: 500, height: 500, crop: .fill)),
                info: originalSource.info()
            )
            #expect(info.width == original.info.width && info.height == original.info.height)
            // The frame has its own colour along the left edge of the box. The middle shows the photo.
            func level(_ picture: PixelBuffer, _ x: Double, _ y: Double) -> [Int] {
                let index = (Int(y * 499) * 500 + Int(x * 499)) * 3
                return picture.bytes[index..<index + 3].map(Int.init)
            }
            let (x, y) = (try #require(box["x"] as? Double), try #require(box["y"] as? Double))
            let (width, height) = (try #require(box["width"] as? Double), try #require(box["height"] as? Double))
            let edge = level(picture, x + 0.003, y + height / 2)
            #expect(edge[0] > edge[1] + 60 && edge[0] > edge[2] + 60, "\(edge)")
            let (inside, before) = (
                level(picture, x + width / 2, y + height / 2), level(original.pixels, x + width / 2, y + height / 2)
            )
            #expect(zip(inside, before).allSatisfy { abs($0 - $1) < 40 }, "\(inside) \(before)")

            #expect(try await detect(all, photo, query: "annotate=true").headers["content-type"] == "image/jpeg")
            #expect(try await detect(all, photo, query: "annotate=true", accept: "text/html").status == 406)
            let several = Form.body([("image", photo), ("image", photo)])
            let list = try await detect(all, several, query: "annotate=true", type: "multipart/form-data; boundary=b")
            #expect(list.status == 400 && list.text.contains("annotate"))
        }
    }

    @Test func theWrongModelIsNamedWithTheRightWay() async throws {
        let photo = try cat()
        try await ServiceWithModels.with(squeezenets: []) { all in
            let classifier = try await detect(all, photo, query: "model=menagerie")
            #expect(classifier.status == 409 && classifier.text.contains("POST /classify"))
            #expect(classifier.headers["content-type"] == "application/problem+json")
            let detector = try await all.service.classify(photo, query: "save=false&model=detector")
            #expect(detector.status == 409 && detector.text.contains("POST /detect"))
            #expect(try await detect(all, photo, query: "model=nothing").status == 404)
        }
    }

    @Test func withoutADetectorTheAnswerSaysHowToGetOne() async throws {
        let photo = try cat()
        try await ServiceWithModels.with(squeezenets: [], detector: false) { all in
            let answer = try await detect(all, photo)
            #expect(answer.status == 409 && answer.text.contains("menagerie models pull yolox_nano"))
        }
    }

    @Test func aFreshServiceFindsTheCatWithItsOwnDetector() async throws {
        let photo = try cat()
        try await withService { service in
            let answer = try await service.request(
                "POST", "/detect", headers: [("Content-Type", "image/jpeg")], body: photo)
            let all = try boxes(answer)
            #expect((try answer.object()["model"] as? [String: any Sendable])?["name"] as? String == "menagerie_boxes")
            let box = try #require(all.first)
            #expect(box["label"] as? String == "cat" && (box["confidence"] as? Double ?? 0) > 0.5)
            let breed = try #require(box["breed"] as? [String: any Sendable])
            #expect(breed["label"] as? String == "maine_coon")
        }
    }
}
