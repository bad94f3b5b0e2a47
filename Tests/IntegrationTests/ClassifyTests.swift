import Foundation
import TestSupport
import Testing

@Suite struct ClassifyTests {
    static let drawing = try? Array(
        Data(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Photos/cat.jpg")
                .standardized))

    let photo: [UInt8]

    init() throws {
        photo = try #require(Self.drawing)
    }

    @Test func everyFormOfUploadGivesTheSameAnswer() async throws {
        try await withService { service in
            let raw = try await service.classify(photo)
            #expect(raw.status == 200, "\(raw.text)")
            let form = try await service.request(
                "POST", "/classify?save=false", headers: [("Content-Type", "multipart/form-data; boundary=b")],
                body: Form.body([("image", photo)]))
            let base64 = #"{"image": ""# + Data(photo).base64EncodedString() + #""}"#
            let json = try await service.classify(Array(base64.utf8), type: "application/json")
            #expect(try raw.predictions().count == 3)
            #expect(try form.predictions() == raw.predictions())
            #expect(try json.predictions() == raw.predictions())
        }
    }

    @Test func theAnswerHasTheContractsFields() async throws {
        try await withService { service in
            let answer = try await service.classify(photo, query: "heads=all&top=2").object()
            for name in ["id", "message", "species", "head", "presence", "predictions", "heads", "abstained", "model"] {
                #expect(answer[name] != nil, "\(name)")
            }
            let image = try #require(answer["image"] as? [String: any Sendable])
            #expect(image["width"] as? Int == 500 && image["height"] as? Int == 375)
            #expect(image["format"] as? String == "jpeg" && image["orientation"] as? Int == 1)
            let timing = try #require(answer["timing"] as? [String: any Sendable])
            #expect(
                Set(timing.keys).subtracting(["second_stage_ms"]) == [
                    "decode_ms", "queue_ms", "inference_ms", "batch_size",
                ])
            let heads = try #require(answer["heads"] as? [String: [[String: any Sendable]]])
            #expect(Set(heads.keys) == ["presence", "kinds", "cats", "dogs", "zoo", "objects", "fruit", "drawings"])
            #expect(heads["objects"]?.count == 2)
        }
    }

    @Test func `our own drawings are told as drawings, the cat as one of a cat, in both languages`() async throws {
        try await withService { service in
            for (language, name) in [("en", "Drawing of a cat"), ("fi", "Piirros, jossa on kissa")] {
                let answer = try await service.classify(photo, query: "save=false&lang=\(language)").object()
                #expect(answer["head"] as? String == "drawings" && answer["species"] as? String == "other")
                let first = (answer["predictions"] as? [[String: any Sendable]])?.first
                #expect(first?["name"] as? String == name, "\(answer)")
                #expect(first?["label"] as? String == "drawing_of_a_cat")
                #expect(answer["abstained"] as? Bool == false)
            }
            let icon = LiveService.package.appending(path: "Public/icon-192.png")
            let answer = try await service.classify(
                Array(try Data(contentsOf: icon)), query: "save=false", type: "image/png"
            ).object()
            #expect(answer["head"] as? String == "drawings", "\(answer)")
        }
    }

    @Test func oneHeadAskedForAnswersWithTheCatScannersWords() async throws {
        try await withService { service in
            let english = try await service.classify(photo, query: "save=false&heads=dogs").object()
            #expect(english["message"] as? String == "I don't think this is a dog but if it was it would be:")
            #expect(english["head"] as? String == "dogs")
            let finnish = try await service.classify(photo, query: "save=false&heads=dogs&lang=fi").object()
            #expect((finnish["message"] as? String)?.hasPrefix("En usko") == true)
        }
    }

    @Test func formsWithSeveralPhotosAnswerEachForItself() async throws {
        try await withService { service in
            let answer = try await service.request(
                "POST", "/classify?save=false", headers: [("Content-Type", "multipart/form-data; boundary=b")],
                body: Form.body([("image", photo), ("image", Array("no picture".utf8)), ("image", photo)]))
            let results = try #require(try answer.object()["results"] as? [[String: any Sendable]], "\(answer.text)")
            #expect(results.map { $0["status"] as? Int } == [200, 415, 200])
            #expect(results[0]["predictions"] != nil && results[1]["type"] != nil)
        }
    }

    @Test func severalPhotosOfOneAnimalAreFusedIntoOneAnswer() async throws {
        try await withService { service in
            func fused(_ photos: [[UInt8]]) async throws -> RawResponse {
                try await service.request(
                    "POST", "/classify?save=false&fuse=true",
                    headers: [("Content-Type", "multipart/form-data; boundary=b")],
                    body: Form.body(photos.map { ("image", $0) }))
            }
            let once = try await service.classify(photo)
            #expect(try await fused([photo, photo]).predictions() == once.predictions())
            #expect(try await fused([photo, Array("no picture".utf8)]).status == 415)
        }
    }

    @Test func aClientThatMadeThePhotoSmallerSaysHowLargeItWas() async throws {
        try await withService { service in
            let answer = try await service.classify(photo, query: "original=4000x3000").object()
            let saved = try await service.request("GET", "/history/\(#require(answer["id"] as? String))").object()
            for each in [answer, saved] {
                let image = try #require(each["image"] as? [String: any Sendable])
                #expect(image["width"] as? Int == 500)
                #expect(image["original"] as? [String: Int] == ["width": 4000, "height": 3000])
            }
            for wrong in ["4000", "4000x", "0x3000", "4000x3000x3", "-1x5", "65536x1", "99999999999999999999x1"] {
                let refused = try await service.classify(photo, query: "save=false&original=\(wrong)")
                #expect(refused.status == 400, "\(wrong)")
            }
            let several = try await service.request(
                "POST", "/classify?save=false&original=4000x3000",
                headers: [("Content-Type", "multipart/form-data; boundary=b")],
                body: Form.body([("image", photo), ("image", photo)]))
            #expect(several.status == 400)
        }
    }

    @Test func theMirrorImageHasASayWhereItIsAskedFor() async throws {
        try await withService { service in
            let plain = try await service.classify(photo).predictions()
            let both = try await service.classify(photo, query: "save=false&mirror=true").predictions()
            #expect(both.count == 3 && both != plain)
            #expect(try await service.classify(photo, query: "save=false&mirror=2").status == 400)
        }
    }

    @Test func savedScansAreInTheHistoryUntilDeleted() async throws {
        try await withService { service in
            let saved = try await service.classify(photo, query: "lang=en").object()
            let id = try #require(saved["id"] as? String)
            let scan = try await service.request("GET", "/history/\(id)").object()
            #expect(scan["photo_url"] as? String == "/history/\(id)/photo")
            let newest = try await service.request("GET", "/history?limit=100").object()
            let ids = (newest["items"] as? [[String: any Sendable]])?.compactMap { $0["id"] as? String } ?? []
            #expect(ids.contains(id) && ids == ids.sorted(by: >))

            let copy = try await service.request("GET", "/history/\(id)/photo")
            #expect(copy.status == 200 && copy.headers["content-type"] == "image/jpeg")
            #expect(try await service.classify(copy.body).predictions() == service.classify(photo).predictions())
            let tag = try #require(copy.headers["etag"])
            let again = try await service.request("GET", "/history/\(id)/photo", headers: [("If-None-Match", tag)])
            #expect(again.status == 304)
            let part = try await service.request("GET", "/history/\(id)/photo", headers: [("Range", "bytes=0-1")])
            #expect(part.status == 206 && part.body == [0xFF, 0xD8])
            #expect(try await service.request("GET", "/history/\(id)/thumbnail").body.starts(with: [0xFF, 0xD8]))

            let deleted = try await service.request("DELETE", "/history/\(id)")
            #expect(deleted.status == 204 && deleted.headers["x-deleted-count"] == "1")
            #expect(try await service.request("GET", "/history/\(id)").status == 404)
            let undo = try #require(deleted.headers["link"]?.split(separator: ">").first?.dropFirst())
            #expect(try await service.request("POST", String(undo), body: []).status == 200)
            let unknown = try await service.request("POST", "/history/deletions/none/undo", body: [])
            #expect(unknown.status == 404 && unknown.text.contains("There is no deletion “none”."), "\(unknown.text)")
            #expect(try await service.request("GET", "/history/\(id)").status == 200)
            #expect(try await service.request("DELETE", "/history?id=\(id)").headers["x-deleted-count"] == "1")
            // Nothing is left to delete, so there is nothing to undo.
            let nothing = try await service.request("DELETE", "/history?id=\(id)")
            #expect(nothing.status == 204 && nothing.headers["x-deleted-count"] == "0")
            #expect(nothing.headers["link"] == nil)
        }
    }

    @Test func notesAndCorrectionsCanBeWritten() async throws {
        try await withService { service in
            let id = try #require(try await service.classify(photo, query: "").object()["id"] as? String)
            let patch = #"{"note": "limps", "corrected_label": "siamese"}"#
            let changed = try await service.request("PATCH", "/history/\(id)", body: Array(patch.utf8)).object()
            #expect(changed["note"] as? String == "limps" && changed["corrected_label"] as? String == "siamese")
            let wrong = #"{"corrected_label": "unicorn"}"#
            #expect(try await service.request("PATCH", "/history/\(id)", body: Array(wrong.utf8)).status == 400)
            for (body, reason) in [
                (#"{"notes": "limps"}"#, "“notes” is not known"), (#"{"note": 7}"#, "“note” has to be a text"),
                ("[1]", "has to be a JSON object"), (#"{"note": "a", "note": "b"}"#, "“note” is there twice"),
                (#"{"note": "a", "\u006eote": "b"}"#, "“note” is there twice"),
            ] {
                let refused = try await service.request("PATCH", "/history/\(id)", body: Array(body.utf8))
                #expect(refused.status == 400 && refused.text.contains(reason), "\(refused.text)")
            }
            let cleared = try await service.request("PATCH", "/history/\(id)", body: Array(#"{"note": null}"#.utf8))
            #expect(try cleared.object()["note"] == nil)
            #expect(try cleared.object()["corrected_label"] as? String == "siamese")
            // Of an animal a person may know no more than its kind.
            let wide = Array(#"{"corrected_label": "wild_cat"}"#.utf8)
            #expect(
                try await service.request("PATCH", "/history/\(id)", body: wide).object()["corrected_label"] as? String
                    == "wild_cat")
        }
    }
}

/// A `multipart/form-data` body with the boundary `b`.
enum Form {
    static func body(_ fields: [(name: String, bytes: [UInt8])]) -> [UInt8] {
        fields.reduce(into: [UInt8]()) { body, field in
            let head = "--b\r\nContent-Disposition: form-data; name=\"\(field.name)\"; filename=\"f\"\r\n\r\n"
            body += Array(head.utf8) + field.bytes + Array("\r\n".utf8)
        } + Array("--b--\r\n".utf8)
    }
}
