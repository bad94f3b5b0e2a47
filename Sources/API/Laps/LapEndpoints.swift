import Base
import Encyclopaedia
import HTTP
import Recognition
import Streams

/// `/laps`: lap timers. Their frames come from `GET /live?laps=ID` or from a video.
struct LapEndpoints: Sendable {
    let laps: LapSessions
    let channels: EventChannels
    let recogniser: Recogniser
    let encyclopaedia: Encyclopaedia

    func register(in router: inout Router) {
        router.post("/laps", .asynchronous { try await create($0) })
        router.get("/laps", .asynchronous { try await list($0) })
        router.get("/laps/labels", .asynchronous { try await labels($0) })
        router.get("/laps/{id}", .asynchronous { try await show($0) })
        router.delete("/laps/{id}", .noContent { try await laps.delete(try $0.id(of: "lap timer")) })
        router.put("/laps/{id}/state", .asynchronous { try await setState($0) })
        router.put("/laps/{id}/line", .asynchronous { try await setLine($0) })
        router.get("/laps/{id}/events", .withoutQuery { try await events($0) })
        router.get("/laps/{id}/export", .asynchronous { try await export($0) })
        router.delete(
            "/laps/{id}/laps/{number}",
            .noContent { try await laps.undo(lap: try number($0), of: try $0.id(of: "lap timer")) })
        router.get("/laps/{id}/laps/{number}/photo", .withoutQuery { try await photo($0) })
    }

    private func create(_ request: Request) async throws -> Response {
        let language = try request.language()
        let wanted = try LapRequest(try await request.body.collect(upTo: 65_536))
        if let model = wanted.model {
            _ = try await recogniser.suggestingModels { try await recogniser.frameModels(model, detects: true) }
        }
        let snapshot = try await laps.create(wanted.configuration, model: wanted.model)
        return try answer(snapshot, language, .created, headers: ["Location": "/laps/\(snapshot.id)"])
    }

    private func list(_ request: Request) async throws -> Response {
        var reader = QueryReader(request)
        let language = try reader.language(of: request)
        let limit = try reader.integer("limit", in: 1...100, default: 20)
        let start = try reader.identifierCursor(of: "laps")
        try reader.finish()
        let all = try await laps.list()
        let rest = all.filter { snapshot in start.map { snapshot.id < $0 } ?? true }
        let names = encyclopaedia.names(in: language)
        let page = Page(
            of: rest, limit: limit, total: all.count, cursor: { Cursor("laps", id: $0.id.description) }
        ) { LapSessionRepresentation($0, names: names) }
        return try Representation(page: page, of: request, in: language).response(to: request)
    }

    private func labels(_ request: Request) async throws -> Response {
        let language = try request.language()
        let labels = try await recogniser.labels(of: recogniser.frameModels(nil, detects: true))
        let names = encyclopaedia.names(in: language)
        return try Representation(list: LapLabels(labels, names: names), next: nil, of: request, in: language)
            .response(to: request)
    }

    private func show(_ request: Request) async throws -> Response {
        let language = try request.language()
        return try answer(try await laps.snapshot(try request.id(of: "lap timer")), language)
    }

    private func setState(_ request: Request) async throws -> Response {
        let language = try request.language()
        let (state, label) = try LapRequest.state(try await request.body.collect(upTo: 4_096))
        let id = try request.id(of: "lap timer")
        if state == .start {
            let timer = try await laps.snapshot(id)
            if let given = timer.document.configuration.label, let label, label != given {
                throw ProblemDetails.invalidValue(
                    "label", expected: "left out, because the timer times “\(given.prefix(80))”")
            }
            try await checkLabel(of: timer)
        }
        return try answer(try await laps.set(state, label: label, of: id), language)
    }

    /// Refuses to start a timer whose label nothing can ever have. It is checked at the start, because until then the
    /// label may be the name of a thing that is pointed at.
    private func checkLabel(of timer: LapSessions.Snapshot) async throws {
        guard timer.state == .warmUp, timer.pointed == nil, let label = timer.document.configuration.label,
            try await !recogniser.isLabel(label)
        else { return }
        throw ProblemDetails.noCandidate(
            "No model knows the label “\(label.prefix(80))”, and no stream points at a thing of that name. "
                + "GET /laps/labels lists the labels; otherwise point at the thing before the start.")
    }

    private func setLine(_ request: Request) async throws -> Response {
        let language = try request.language()
        let line = try LapRequest.line(try await request.body.collect(upTo: 4_096))
        return try answer(try await laps.move(line: line, of: try request.id(of: "lap timer")), language)
    }

    private func events(_ request: Request) async throws -> Response {
        let id = try request.id(of: "lap timer")
        _ = try await laps.snapshot(id)
        let channel = channels.channel(id)
        // A timer that was deleted in the meantime would leave its channel open.
        guard laps.holds(id) else {
            channels.remove(id)
            throw LapError.unknownTimer(id)
        }
        return channel.response(to: request)
    }

    private func export(_ request: Request) async throws -> Response {
        var reader = QueryReader(request)
        let language = try reader.language(of: request)
        _ = try reader.choice("format", of: Format.self)
        try reader.finish()
        let snapshot = try await laps.snapshot(try request.id(of: "lap timer"))
        let names = encyclopaedia.names(in: language)
        var response = Response.bytes(
            Array(LapSessionRepresentation(snapshot, names: names).csv.utf8), type: .csv, cacheControl: "no-store")
        response.headers["Content-Disposition"] = "attachment; filename=\"laps-\(snapshot.id).csv\""
        return response
    }

    private enum Format: String, CaseIterable {
        case csv
    }

    private func photo(_ request: Request) async throws -> Response {
        let photo = try await laps.photo(try request.id(of: "lap timer"), lap: try number(request))
        return .bytes(photo, type: .jpeg, cacheControl: "private, no-cache")
    }

    // MARK: Parts

    private func number(_ request: Request) throws -> Int {
        let text = request.parameters["number"] ?? ""
        guard let number = Int(decimal: text), number > 0 else { throw ProblemDetails.notFound("lap", id: text) }
        return number
    }

    private func answer(
        _ snapshot: LapSessions.Snapshot, _ language: Language, _ status: Status = .ok, headers: HeaderFields = [:]
    ) throws -> Response {
        let names = encyclopaedia.names(in: language)
        var response = try Response.json(LapSessionRepresentation(snapshot, names: names), status, headers: headers)
        response.headers["Content-Language"] = language.rawValue
        return response
    }
}

/// The labels that a lap timer can follow: the detector's first, each group sorted by name.
struct LapLabels: Encodable {
    struct Item: Encodable {
        let label: String
        let name: String
        /// `boxes`, which pass a line, or `classification` of the whole picture.
        let by: String
    }

    let items: [Item]
    let total: Int

    init(_ labels: FrameLabels, names: LabelNames) {
        func items(_ labels: Set<String>, by: String, from origin: LabelOrigin) -> [Item] {
            labels.map { Item(label: $0, name: names.name($0, from: origin), by: by) }
                .sorted { ($0.name.lowercased(), $0.label) < ($1.name.lowercased(), $1.label) }
        }
        self.items =
            items(labels.boxes, by: "boxes", from: .box)
            + items(labels.heads.subtracting(labels.boxes), by: "classification", from: .unknown)
        total = self.items.count
    }
}

extension EventChannels {
    /// Publishes a lap timer's change as `state`, `started`, `lap`, `undone`, or `deleted`, which is the last.
    func take(_ change: LapSessions.Change, of id: ULID) {
        switch change {
        case .event(.state(let state)): channel(id).publish(["state": state.rawValue], "state")
        case .event(.started(let runner, let label, let time)):
            channel(id).publish(LapStarted(runner: runner, label: label, atMs: time.rounded()), "started")
        case .event(.lap(let lap)):
            channel(id).publish(LapRepresentation(lap, session: id, name: nil, hasPhoto: false), "lap")
        case .undone(let number): channel(id).publish(LapUndone(id: id.description, number: number), "undone")
        case .deleted:
            channel(id).publish(["id": id.description], "deleted")
            remove(id)
        case .gone: remove(id)
        }
    }
}
