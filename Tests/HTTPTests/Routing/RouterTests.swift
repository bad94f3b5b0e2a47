import Base
import HTTP
import Logging
import Testing

@Suite struct RouterTests {
    private struct Teapot: ProblemConvertible {
        var problem: ProblemDetails {
            ProblemDetails(
                type: "/problems/teapot", title: "Teapot", status: Status(code: 418), extensions: ["pot": 1],
                headers: ["Retry-After": "5"])
        }
    }

    private struct Secret: Error {}

    private struct Stamp: Middleware {
        let name: String

        func before(_ request: inout Request) throws -> Response? {
            request.headers.append(name, for: "Before")
            return request.path == "/stopped" && name == "b" ? Response(status: .forbidden) : nil
        }

        func after(_ request: Request, _ response: inout Response) {
            response.headers.append(name, for: "After")
        }
    }

    private var responder: Responder {
        var router = Router()
        func answer(_ name: String) -> Handler {
            .inline { request in
                let values = ["id", "path", "n"].compactMap { request.parameters[$0] }
                return .bytes(
                    Array(([name, request.route ?? ""] + values).joined(separator: " ").utf8), type: .text)
            }
        }
        router.get("/", answer("root"))
        router.get("/breeds", answer("breeds"))
        router.get("/breeds/{id}", answer("breed"))
        router.get("/breeds/list/all", answer("list"))
        router.put("/breeds/{id}/favourite", answer("put"))
        router.delete("/breeds/{id}/favourite", answer("delete"))
        router.get("/files/{path...}", answer("files"))
        router.get("/files/special", answer("special"))
        router.on(Method(rawValue: "PURGE"), "/cache", answer("purge"))
        router.get("/teapot", .asynchronous { _ in throw Teapot() })
        router.get("/broken", .inline { _ in throw Secret() })
        router.get("/headers", .inline { .bytes(Array($0.headers.values(for: "before").joined().utf8), type: .text) })
        return Responder(
            router: router, middleware: [Stamp(name: "a"), Stamp(name: "b")],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func text(_ response: Response) -> String {
        if case .bytes(let bytes) = response.body { String(decoding: bytes, as: UTF8.self) } else { "" }
    }

    @Test(arguments: [
        ("/", "root /"), ("/breeds", "breeds /breeds"), ("/breeds?x=1", "breeds /breeds"),
        ("/breeds/siamese", "breed /breeds/{id} siamese"), ("/breeds/list", "breed /breeds/{id} list"),
        ("/breeds/list/all", "list /breeds/list/all"), ("/breeds/a%2Fb", "breed /breeds/{id} a%2Fb"),
        ("/breeds/%C3%A4", "breed /breeds/{id} ä"), ("/files/special", "special /files/special"),
        ("/files/special/x", "files /files/{path...} special/x"), ("/files/a/b.css", "files /files/{path...} a/b.css"),
        ("/files/../breeds", "breeds /breeds"),
    ])
    func finds(_ target: String, _ expected: String) async {
        let response = await responder.respond(to: Request(target: target))
        #expect(response.status == .ok)
        #expect(text(response) == expected)
    }

    @Test(arguments: ["/nothing", "/breeds/", "/breeds/a/b", "/files", "/files/", "/breeds/list/all/x", "//"])
    func findsNothing(_ target: String) async {
        let response = await responder.respond(to: Request(target: target))
        #expect(response.status == .notFound)
        #expect(response.headers["content-type"] == "application/problem+json")
    }

    @Test func otherMethods() async {
        let allowed = await responder.respond(to: Request(method: .post, target: "/breeds/x/favourite"))
        #expect(allowed.status == .methodNotAllowed)
        #expect(allowed.headers["Allow"] == "DELETE, OPTIONS, PUT")
        let options = await responder.respond(to: Request(method: .options, target: "/breeds/x"))
        #expect(options.status == .noContent)
        #expect(options.headers["Allow"] == "GET, HEAD, OPTIONS")
        let head = await responder.respond(to: Request(method: .head, target: "/breeds/x"))
        #expect(head.status == .ok)
        #expect(await responder.respond(to: Request(method: .trace, target: "/breeds")).status == .methodNotAllowed)
        #expect(await responder.respond(to: Request(method: .query, target: "/breeds")).status == .methodNotAllowed)
        let brew = Method(rawValue: "BREW")
        #expect(await responder.respond(to: Request(method: brew, target: "/breeds")).status == .notImplemented)
        let purge = Method(rawValue: "PURGE")
        #expect(await responder.respond(to: Request(method: purge, target: "/breeds")).status == .methodNotAllowed)
        #expect(await responder.respond(to: Request(method: purge, target: "/cache")).status == .ok)
    }

    @Test func aLiteralPathHasOnlyItsOwnMethods() async {
        var router = Router()
        router.get("/history/export", .inline { _ in Response(status: .ok) })
        router.get("/history/{id}", .inline { _ in Response(status: .ok) })
        router.delete("/history/{id}", .inline { _ in Response(status: .noContent) })
        router.delete("/{path...}", .inline { _ in Response(status: .noContent) })
        let responder = Responder(router: router, logger: Logger(label: "test"))
        let options = await responder.respond(to: Request(method: .options, target: "/history/export"))
        #expect(options.headers["Allow"] == "GET, HEAD, OPTIONS")
        let deletion = await responder.respond(to: Request(method: .delete, target: "/history/export"))
        #expect(deletion.status == .methodNotAllowed)
        #expect(await responder.respond(to: Request(method: .delete, target: "/history/7")).status == .noContent)
    }

    @Test(
        arguments: [
            ("If-Match", #""v1""#, true), ("If-Match", #""v2", "v1""#, true), ("If-Match", "*", true),
            ("If-Match", #""v2""#, false), ("If-Match", #"W/"v1""#, false), ("If-None-Match", "*", false),
            ("If-None-Match", #""v2""#, true), ("If-Unmodified-Since", "Sat, 28 Nov 2026 00:00:00 GMT", true),
            ("If-Unmodified-Since", "Thu, 26 Nov 2026 00:00:00 GMT", false),
        ])
    func nothingIsChangedUnderAFalseCondition(field: String, value: String, isTrue: Bool) async {
        let changes = Locked(0)
        let change = Handler.asynchronous { _ in
            changes.withLock { $0 += 1 }
            return Response(status: .noContent)
        }
        var router = Router()
        router.get(
            "/scans/{id}",
            .inline {
                $0.parameters["id"] == "1"
                    ? Response(headers: ["ETag": #""v1""#, "Last-Modified": "Fri, 27 Nov 2026 00:00:00 GMT"])
                    : Response(status: .notFound)
            })
        router.get("/{path...}", .inline { _ in Response(headers: ["ETag": #""v1""#]) })
        for path in ["/scans/{id}", "/favourites/{id}"] { router.put(path, change) }
        let responder = Responder(router: router, logger: Logger(label: "test"))
        func status(_ target: String) async -> Status {
            await responder.respond(to: Request(method: .put, target: target, headers: [field: value])).status
        }
        #expect(await status("/scans/1?lang=fi") == (isTrue ? .noContent : .preconditionFailed))
        #expect(changes.withLock { $0 } == (isTrue ? 1 : 0))
        // The handler tells that nothing is there.
        #expect(await status("/scans/2") == .noContent)
        // What GET does not answer has no state.
        #expect(await status("/favourites/1") == (field == "If-Match" ? .preconditionFailed : .noContent))
    }

    @Test func aRestPatternAllowsOnlyWhatItFinds() async {
        var router = Router()
        router.get("/{path...}", .inline { Response(status: $0.parameters["path"] == "a/b" ? .ok : .notFound) })
        let responder = Responder(router: router, logger: Logger(label: "test"))
        for method in [Method.post, .put, .delete, .options] {
            #expect(await responder.respond(to: Request(method: method, target: "/a/c")).status == .notFound)
            let known = await responder.respond(to: Request(method: method, target: "/a/b"))
            #expect(known.status == (method == .options ? .noContent : .methodNotAllowed))
            #expect(known.headers["Allow"] == "GET, HEAD, OPTIONS")
        }
    }

    @Test func errorsBecomeProblems() async {
        let teapot = await responder.respond(to: Request(target: "/teapot"))
        #expect(teapot.status.code == 418)
        #expect(teapot.headers["retry-after"] == "5")
        #expect(text(teapot) == #"{"type":"/problems/teapot","title":"Teapot","status":418,"pot":1}"#)
        let broken = await responder.respond(to: Request(target: "/broken"))
        #expect(broken.status == .internalServerError)
        #expect(!text(broken).contains("Secret"))
    }

    private struct Hidden: ProblemConvertible {
        let problem = ProblemDetails(.serviceUnavailable, detail: "Not now.")
        var hiddenReason: String? { "/data cannot be read" }
    }

    @Test func whatAProblemHidesIsInTheLog() async {
        let lines = Locked<[String]>([])
        var router = Router()
        router.get("/hidden", .inline { _ in throw Hidden() })
        router.get("/plain", .inline { _ in throw ProblemDetails(.serviceUnavailable) })
        router.get(
            "/within",
            .asynchronous { _ in
                RequestLog.current?.report(Hidden())
                RequestLog.current?.report(ProblemDetails(.serviceUnavailable))
                return Response()
            })
        let responder = Responder(
            router: router,
            logger: Logger(label: "test") { _ in LogLines { line in lines.withLock { $0.append(line) } } })
        let hidden = await responder.respond(to: Request(target: "/hidden", id: "R1"))
        #expect(hidden.status == .serviceUnavailable && !text(hidden).contains("/data"))
        #expect(await responder.respond(to: Request(target: "/plain")).status == .serviceUnavailable)
        let found = lines.withLock { $0 }
        #expect(found.count == 1 && found[0].contains("/data cannot be read") && found[0].contains("R1"), "\(found)")
        #expect(await responder.respond(to: Request(target: "/within", id: "R2")).status == .ok)
        let within = lines.withLock { $0 }
        #expect(within.count == 2)
        #expect(within.last?.contains("/data cannot be read") == true && within.last?.contains("R2") == true)
    }

    @Test func middlewareRunsInOrderAndInReverse() async {
        let response = await responder.respond(to: Request(target: "/headers"))
        #expect(text(response) == "ab")
        #expect(response.headers.values(for: "After") == ["b", "a"])
        for target in ["/broken", "/nothing", "/stopped", "/teapot"] {
            let failed = await responder.respond(to: Request(target: target))
            #expect(failed.status.code >= 400)
            #expect(failed.headers.values(for: "After") == ["b", "a"])
        }
        #expect(await responder.respond(to: Request(target: "/stopped")).status == .forbidden)
    }
}
