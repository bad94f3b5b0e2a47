import Testing

@testable import Connections

@Suite struct FrigateEventTests {
    private func read(_ text: String) throws -> FrigateEvent? { try FrigateEvent.read(Array(text.utf8)) }

    @Test func anEventOfAnAnimal() throws {
        let event = try read(
            #"""
            {"type":"update","before":{},"after":{"id":"1700000000.123456-abc12","camera":"porch","label":"cat",
             "false_positive":false,"has_snapshot":true,"top_score":0.8,"snapshot":{"score":0.7,"frame_time":1}}}
            """#)
        #expect(event == FrigateEvent(id: "1700000000.123456-abc12", camera: "porch", label: "cat", score: 0.7))
    }

    @Test(arguments: [
        #"{"after":{"id":"1-a","camera":"p","label":"cat","false_positive":true}}"#,
        #"{"after":{"id":"1-a","camera":"p","label":"cat","has_snapshot":false}}"#,
        #"{"after":{"id":"../../config","camera":"p","label":"cat"}}"#,
        #"{"after":{"id":"1..2","camera":"p","label":"cat"}}"#, #"{"after":{"id":"a?b","camera":"p","label":"cat"}}"#,
        #"{"after":{"id":"","camera":"p","label":"cat"}}"#,
    ])
    func whatIsNotToBeAskedFor(text: String) throws { #expect(try read(text) == nil) }

    @Test(arguments: [
        "", "online", "[]", "{}", #"{"after":[]}"#, #"{"after":{"id":5,"camera":"p","label":"cat"}}"#, "\u{0}",
    ])
    func whatIsNoEvent(text: String) { #expect(throws: (any Error).self) { try read(text) } }
}
