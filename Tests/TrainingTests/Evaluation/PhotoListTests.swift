import Foundation
import Testing
@testable import Training

@Suite struct PhotoListTests {
    let folder = URL(filePath: "/photos")
    let text = """
        path,class,group,source,split,presence
        a.jpg,siamese,cat,home,train,
        /b.jpg,beagle,dog,home,test,dog
        c.jpg,apple,fruit,shop,test,
        """

    func list(_ text: String, _ filters: [PhotoList.Filter] = []) throws -> PhotoList {
        try PhotoList(text: text, name: "list", folder: folder, filters: filters)
    }

    @Test func `rows become photos`() throws {
        let list = try list(text)
        #expect(list.photos.map(\.path) == ["a.jpg", "/b.jpg", "c.jpg"])
        #expect(
            list.photos[0]
                == LabelledPhoto(
                    path: "a.jpg", label: "siamese", group: "cat", source: "home", labels: ["split": "train"]))
        #expect(list.photos[1].labels == ["split": "test", "presence": "dog"])
        #expect(list.photos.map { list.url(of: $0).path } == ["/photos/a.jpg", "/b.jpg", "/photos/c.jpg"])
    }

    @Test func `filters choose rows, and every one has to hold`() throws {
        let test = try #require(PhotoList.Filter("split=test"))
        #expect(try list(text, [test]).photos.map(\.path) == ["/b.jpg", "c.jpg"])
        #expect(try list(text, [test, .init(column: "source", value: "shop")]).photos.map(\.path) == ["c.jpg"])
        #expect(PhotoList.Filter("split") == nil && PhotoList.Filter("=test") == nil)
    }

    @Test func `a limit takes photos from the whole list`() throws {
        let many = try list("path,class\n" + (0..<10).map { "\($0).jpg,x\n" }.joined())
        #expect(many.limited(to: 4).photos.map(\.path) == ["0.jpg", "2.jpg", "5.jpg", "7.jpg"])
        #expect(many.limited(to: 0).photos.count == 10 && many.limited(to: 11).photos.count == 10)
    }

    @Test func `errors name the list and the missing part`() throws {
        func error(_ body: () throws -> PhotoList) -> String? {
            #expect(throws: PhotoListError.self) { try body() }?.description
        }
        #expect(
            error { try list("path,label\na,b\n") } == "list has no column \"class\"; its columns are path, label")
        #expect(
            error { try list("path,class\na,b\n", [.init(column: "part", value: "test")]) }
                == "list has no column \"part\"; its columns are path, class")
        #expect(error { try list("path,class\na,b\n,c\n") } == "list, line 3: the field \"path\" is empty")
        #expect(error { try list("path,class\na\n") } == "list, line 2: 1 fields where the first line has 2")
        #expect(
            error { try list(text, [.init(column: "split", value: "x")]) } == "list lists no photos with split=x")
        #expect(
            error { try PhotoList(contentsOf: URL(filePath: "/nowhere/list.csv")) }
                == "/nowhere/list.csv cannot be read")
    }
}

@Suite struct GroundTruthTests {
    let truth = GroundTruth(heads: [
        ("presence", ["cat", "dog", "other"]), ("cats", ["siamese", "sphynx"]), ("dogs", ["beagle", "corgi"]),
        ("zoo", ["amur_tiger", "meerkat"]), ("objects", ["crane", "crane", "pizza", "beagle"]),
        ("fruit", ["apple", "none"]),
    ])

    func answers(_ label: String, _ group: String?, source: String? = nil) -> [String: Int] {
        let photo = LabelledPhoto(path: "p", label: label, group: group, source: source)
        return Dictionary(
            uniqueKeysWithValues: ["presence", "cats", "dogs", "zoo", "objects", "fruit"].compactMap { head in
                truth.answer(of: head, to: photo).map { (head, $0) }
            })
    }

    @Test func `group and class say what each head should answer`() {
        #expect(answers("siamese", "cat") == ["presence": 0, "cats": 0])
        #expect(answers("canadian_hairless", "cat") == ["presence": 0, "cats": 1])
        #expect(answers("cat_unspecified", "cat") == ["presence": 0])
        #expect(answers("beagle", "dog", source: "somewhere") == ["presence": 1, "dogs": 0])
        #expect(answers("beagle", "dog", source: "EliSchwartz/x") == ["presence": 1, "dogs": 0, "objects": 3])
        #expect(answers("corgi", "dog") == ["presence": 1])
        #expect(answers("tiger", "animal") == ["presence": 2, "zoo": 0])
        #expect(answers("tabby", "animal") == ["presence": 0])
        #expect(answers("beagle", "animal", source: "EliSchwartz/x") == ["presence": 1, "dogs": 0, "objects": 3])
        #expect(answers("dingo", "animal") == [:])
        #expect(answers("pizza", "object") == ["presence": 2, "objects": 2])
        #expect(answers("apple", "fruit") == ["presence": 2, "fruit": 0])
    }

    @Test func `a label that two classes share measures neither`() {
        #expect(answers("crane", "object") == ["presence": 2])
    }

    @Test func `without a group every head that has the label counts`() {
        #expect(answers("beagle", nil) == ["dogs": 0, "objects": 3])
    }

    @Test func `a column with a head's name decides`() {
        let photo = LabelledPhoto(
            path: "p", label: "siamese", group: "cat", labels: ["presence": "other", "dogs": "x"])
        #expect(truth.answer(of: "presence", to: photo) == 2)
        #expect(truth.answer(of: "dogs", to: photo) == nil)
        #expect(truth.answer(of: "cats", to: photo) == 0)
    }

    @Test func `pets of unnamed breed are neither known nor unknown`() {
        func isKnown(_ label: String, _ group: String) -> Bool? {
            truth.isKnownBreed(LabelledPhoto(path: "p", label: label, group: group))
        }
        #expect(isKnown("siamese", "cat") == true && isKnown("beagle", "dog") == true)
        #expect(isKnown("dog_unspecified", "dog") == nil && isKnown("poodle", "dog") == nil)
        #expect(isKnown("savannah", "cat") == false && isKnown("apple", "fruit") == false)
    }
}
