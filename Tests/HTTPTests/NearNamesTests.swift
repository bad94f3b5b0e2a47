import Logging
import Testing
@testable import HTTP

@Suite("Mistyped names")
struct NearNamesTests {
    @Test(
        "are counted by the characters that are wrong",
        arguments: [
            ("siamese", "siamese", 0), ("siamees", "siamese", 1), ("simese", "siamese", 1), ("siameze", "siamese", 1),
            ("maine", "maine_coon", 1), ("pug", "pig", 1), ("pug", "cat", nil), ("", "cat", nil),
            ("classify", "detect", nil),
        ] as [(String, String, Int?)])
    func distance(left: String, right: String, expected: Int?) {
        #expect(NearNames.distance(Array(left.utf8), Array(right.utf8)) == expected)
        #expect(NearNames.distance(Array(right.utf8), Array(left.utf8)) == expected)
    }

    @Test("are answered nearest first, three at most, whatever their case")
    func order() {
        let names = ["mode", "model", "models", "modelt", "unicorn"]
        #expect(NearNames.of("MODEL", among: names) == ["model", "mode", "models"])
        #expect(NearNames.of(String(repeating: "m", count: 100_000), among: names).isEmpty)
    }

    @Test("in a path lead to the route that was meant")
    func paths() async throws {
        var router = Router()
        let ok = Handler.inline { _ in Response() }
        router.post("/classify", ok)
        router.get("/breeds", ok)
        router.get("/breeds/{id}", ok)
        router.get("/breeds/{id}/photos", ok)
        router.get("/files/{rest...}", ok)
        let paths = NearPaths(router)
        #expect(paths.near("/clasify") == ["/classify"])
        #expect(paths.near("/Breeds/siamese") == ["/breeds/siamese"])
        #expect(paths.near("/bredes/x/photo") == ["/breeds/x/photos"])
        #expect(paths.near("/breeds/siamese").isEmpty && paths.near("/unicorns").isEmpty && paths.near("/").isEmpty)

        let responder = Responder(router: router, logger: Logger(label: "test"))
        let answer = await responder.respond(to: Request(method: .post, target: "/clasify"))
        guard case .bytes(let body) = answer.body else { throw CancellationError() }
        #expect(answer.status == .notFound)
        #expect(String(decoding: body, as: UTF8.self).contains(#""near":["/classify"]"#))
    }
}
