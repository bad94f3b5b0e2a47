import Testing
@testable import HTTP

@Suite("Negotiation")
struct NegotiationTests {
    @Test("reads weights and parameters")
    func weights() {
        let list = WeightedList(parsing: "a;q=0.5, B ; Level=\"x,;\\\"y\";Q=1.000 , c;q=0;ext=1,, d;q=0.123, e")
        #expect(list.elements.map(\.value) == ["a", "b", "c", "d", "e"])
        #expect(list.elements.map(\.quality) == [500, 1000, 0, 123, 1000])
        #expect(list.elements[1].parameters == [MediaType.Parameter(name: "level", value: "x,;\"y")])
    }

    @Test(
        "leaves out elements with malformed weights",
        arguments: ["1.001", "2", ".5", "0.1234", "-1", "", "a", "1.5"])
    func badWeights(weight: String) {
        #expect(WeightedList(parsing: "a;q=\(weight)").elements.first { $0.value == "a" } == nil)
    }

    @Test(
        "gzip is applied only where it is wanted (RFC 9110 §12.5.3)",
        arguments: [
            ("gzip", true), ("gzip, deflate, br", true), ("*", true), ("GZIP;q=0.001", true), ("x-gzip", true),
            ("identity;q=0.5, gzip", true), ("identity, gzip", true), ("identity;q=0, gzip;q=0.1", true),
            ("*;q=0.5, identity;q=0.2", true), ("br", false), ("", false), ("gzip;q=0", false), ("*;q=0", false),
            ("gzip;q=0, *", false), ("identity, gzip;q=0.5", false), ("identity;q=0", false), ("deflate;q=1", false),
        ])
    func acceptEncoding(value: String, isPacked: Bool) {
        #expect(AcceptEncoding.coding(for: ["Accept-Encoding": value]) == (isPacked ? .gzip : .identity))
        #expect(AcceptEncoding.coding(for: [:]) == .identity)
    }

    @Test(
        "Accept prefers the most specific range and the highest weight",
        arguments: [
            ("application/json", "application/json"), ("*/*", "application/json"), ("text/*", "text/csv"),
            ("application/json;q=0.5, text/csv", "text/csv"), ("*/*;q=0.1, image/jpeg", "image/jpeg"),
            ("application/*;q=0.9, application/json;q=0.1, image/*;q=0.5", "image/jpeg"),
            ("text/csv;charset=UTF-8, */*;q=0.1", "text/csv"),
            ("text/csv;charset=latin1, */*;q=0.1", "application/json"),
            ("Text/CSV", "text/csv"), ("", "application/json"),
        ])
    func accept(value: String, essence: String) {
        #expect(Accept.best(of: [.json, .csv, .jpeg], for: ["Accept": value])?.essence == essence)
    }

    @Test("Accept can refuse everything", arguments: ["image/png", "application/json;q=0", "*/*;q=0", "text"])
    func notAcceptable(value: String) {
        #expect(Accept.best(of: [.json], for: ["Accept": value]) == nil)
        #expect(Accept.best(of: [.json], for: [:]) == .json)
    }

    @Test(
        "Accept-Language looks up as RFC 4647 §3.4 says",
        arguments: [
            ("fi", "fi"), ("fi-FI, en;q=0.5", "fi"), ("sv, fi;q=0.8, en;q=0.7", "fi"), ("EN-gb, fi", "en"),
            ("en;q=0.5, fi;q=0.6", "fi"), ("fi;q=0, *", "en"), ("en;q=0, *", "fi"), ("en;q=0", "fi"), ("de", "en"),
            ("", "en"), ("*", "en"), ("fi-Latn-x-zoo", "fi"), ("f", "en"), ("de, *;q=0.1", "en"),
        ])
    func acceptLanguage(value: String, language: String) {
        #expect(AcceptLanguage.lookup(["en", "fi"], for: ["Accept-Language": value]) == language)
        #expect(AcceptLanguage.lookup(["en", "fi"], for: [:]) == "en")
    }

    @Test("Vary names each field once")
    func vary() {
        var headers: HeaderFields = ["Vary": "Accept, origin"]
        headers.addVary("Origin")
        headers.addVary("Accept-Encoding")
        #expect(headers.values(for: "Vary") == ["Accept, origin, Accept-Encoding"])
        var all: HeaderFields = ["Vary": "*"]
        all.addVary("Origin")
        #expect(all["Vary"] == "*")
    }
}
