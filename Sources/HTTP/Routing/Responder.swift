import Base
package import Logging

/// Router and middleware together. Every request gets an answer, even if its handler throws.
package struct Responder: Sendable {
    let router: Router
    let middleware: [any Middleware]
    let logger: Logger
    private let paths: NearPaths

    enum Outcome: Sendable {
        case response(Response)
        case asynchronous(@Sendable (Request) async throws -> Response)
    }

    package init(router: Router, middleware: [any Middleware] = [], logger: Logger) {
        self.router = router
        self.middleware = middleware
        self.logger = logger
        paths = NearPaths(router)
    }

    /// Answers a request within the process, as the server would.
    package func respond(to request: Request) async -> Response {
        var request = request
        let handler = match(&request).handler
        switch begin(&request, handler) {
        case .response(let response): return response
        case .asynchronous(let handler): return await finish(request, handler)
        }
    }

    /// Runs the `before` hooks of the middleware. For an inline handler it also runs the handler and the `after` hooks.
    /// - Parameter handler: the result of ``match(_:)``.
    func begin(_ request: inout Request, _ handler: Handler?) -> Outcome {
        let response: Response
        do {
            for middleware in middleware {
                if let answer = try middleware.before(&request) {
                    return .response(completed(answer, request))
                }
            }
            switch handler {
            case .inline(let handler)?: response = try handler(request)
            case .asynchronous(let handler)?:
                request.decodeContent()
                return .asynchronous(handler)
            case .guarded(let check, let handler)?:
                try check(request)
                request.decodeContent()
                return .asynchronous(handler)
            case nil: response = fallback(request)
            }
        } catch {
            response = answer(to: error, request)
        }
        return .response(completed(response, request))
    }

    /// Runs an asynchronous handler and the `after` hooks of the middleware.
    func finish(_ request: Request, _ handler: @Sendable (Request) async throws -> Response) async -> Response {
        let response: Response
        do {
            response = try await RequestLog.$current.withValue(RequestLog { _ = answer(to: $0, request) }) {
                if try await isOutdated(request) {
                    Response.problem(Preconditions.failure)
                } else if let span = request.span {
                    try await ActiveSpan.$current.withValue(span) { try await handler(request) }
                } else {
                    try await handler(request)
                }
            }
        } catch {
            response = answer(to: error, request)
        }
        return completed(response, request)
    }

    /// Whether a request that may change something has a false condition (RFC 9110 §13.1). The current state is the one
    /// that GET answers. Representations check the conditions of GET and HEAD.
    private func isOutdated(_ request: Request) async throws -> Bool {
        guard request.method != .get, request.method != .head, request.headers.mayBeConditional else { return false }
        var validators: Validators?
        // Another pattern is another resource, such as a file of the web page.
        if case .found(let route, let parameters) = router.match(.get, request.path), route.pattern == request.route {
            let read = Request(
                method: .get, target: request.path, path: request.path, headers: [:], body: RequestBody([]),
                id: request.id, remoteAddress: request.remoteAddress, parameters: parameters, route: route.pattern,
                arrival: request.arrival, transport: request.transport)
            let answer = try await route.handler(read)
            // The handler refuses what is not there (§13.2.1).
            guard answer.status == .ok else { return false }
            validators = Validators(
                entityTag: answer.headers["ETag"].flatMap { EntityTag(parsing: $0) },
                lastModified: answer.headers["Last-Modified"].flatMap { HTTPDate($0) })
        }
        let outcome = Preconditions.evaluate(method: request.method, headers: request.headers, validators: validators)
        return outcome == .failed
    }

    private func completed(_ response: Response, _ request: Request) -> Response {
        if middleware.isEmpty { return response }
        var response = response
        for middleware in middleware.reversed() { middleware.after(request, &response) }
        return response
    }

    /// Finds the handler, and fills the request's parameters and route.
    /// - Returns: the handler, and the largest body in bytes if the route has a limit of its own.
    func match(_ request: inout Request) -> (handler: Handler?, bodyLimit: Int?) {
        switch router.match(request.method, request.path) {
        case .found(let route, let parameters):
            request.parameters = parameters
            request.route = route.pattern
            return (route.handler, route.bodyLimit)
        case .otherMethod, .nothing:
            return (nil, nil)
        }
    }

    /// The answer when no route fits (RFC 9110 §9.1, §15.5.5, §15.5.6).
    private func fallback(_ request: Request) -> Response {
        guard Method.known.contains(request.method) || router.methods.contains(request.method) else {
            return .problem(
                ProblemDetails(.notImplemented, detail: "The method \(request.method) is not implemented here."))
        }
        var allowed: [Method] = []
        if request.path == "*" {
            allowed = Array(router.methods)
        } else if case .otherMethod(let methods) = router.match(request.method, request.path) {
            allowed = methods
        } else if isThereToRead(request) {
            allowed = [.get]
        } else {
            return .problem(
                ProblemDetails(.notFound, detail: "There is nothing at “\(request.path.prefix(200))”.")
                    .suggesting(paths.near(request.path)))
        }
        if allowed.contains(.get) { allowed.append(.head) }
        allowed.append(.options)
        let allow = Set(allowed.map(\.rawValue)).sorted().joined(separator: ", ")
        if request.method == .options {
            return Response(status: .noContent, headers: ["Allow": allow])
        }
        return .problem(
            ProblemDetails(
                .methodNotAllowed, detail: "\(request.method) is not possible here; possible: \(allow).",
                headers: ["Allow": allow]
            ).suggesting(paths.near(request.path)))
    }

    /// Whether GET finds something at a path that only a rest pattern matches, such as a file of the web page.
    private func isThereToRead(_ request: Request) -> Bool {
        guard case .found(let route, let parameters) = router.match(.get, request.path),
            case .inline(let handler) = route.handler
        else { return false }
        var read = request
        (read.method, read.parameters, read.route) = (.head, parameters, route.pattern)
        guard let answer = try? handler(read) else { return false }
        return answer.status != .notFound
    }

    /// Logs an error of a WebSocket's handler, when no answer can be sent any more.
    func reportFailure(ofWebSocket error: any Error, _ request: Request) {
        // The handler has not failed if the client left, the client broke the protocol, or the server stops.
        if error is ConnectionLost || error is CancellationError || error is WebSocketError { return }
        logger.error(
            "WebSocket handler failed",
            metadata: [
                "error": "\(error)", "request_id": "\(request.id)", "route": "\(request.route ?? "-")",
            ])
    }

    /// The answer to a thrown error. Details stay in the log unless the error names its own answer.
    private func answer(to error: any Error, _ request: Request) -> Response {
        if let error = error as? any ProblemConvertible {
            if let reason = error.hiddenReason { report(reason, request) }
            return .problem(error.problem)
        }
        if error is CancellationError || error is ConnectionLost {
            return .problem(ProblemDetails(.serviceUnavailable, detail: "The request was given up."))
        }
        report("\(error)", request)
        return .problem(ProblemDetails(.internalServerError))
    }

    private func report(_ reason: String, _ request: Request) {
        logger.error(
            "Handler failed",
            metadata: [
                "error": "\(reason)", "request_id": "\(request.id)", "method": "\(request.method)",
                "route": "\(request.route ?? "-")", "trace_id": "\(TraceContext(request.headers)?.traceID ?? "-")",
            ])
    }
}
