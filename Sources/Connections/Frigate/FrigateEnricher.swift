import Base
package import Foundation
package import Logging
package import Recognition
package import Telemetry

/// Names the animals that Frigate detects. It receives Frigate's events, fetches their snapshots, and answers with a
/// sub label.
package final class FrigateEnricher: Sendable {
    package struct Options: Sendable {
        /// Frigate's address, such as `http://frigate.local:5000`.
        package var url: URL
        /// The first level of Frigate's topics.
        package var prefix = "frigate"
        /// The Frigate labels that are analysed.
        package var labels: Set = ["cat", "dog", "bird"]
        /// The least confidence of an answer, 0…1.
        package var least = 0.5
        /// An admin's token, if Frigate requires one.
        package var token: String?
        /// The pauses between the attempts for one event, in seconds.
        package var pauses = [1.0, 5, 20]

        package init(url: URL) {
            self.url = url
        }
    }

    /// The number of events by outcome.
    struct Counts: Sendable, Equatable {
        var received = 0
        var unreadable = 0
        var answered = 0
        var unsure = 0
        var failed = 0
        var dropped = 0
    }

    private struct State {
        /// The score of the last answered snapshot of each event. The number of entries is limited.
        var answered: [String: Double] = [:]
        var order: [String] = []
        var counts = Counts()
        var saidUnreadable = false
        var isAway = false
    }

    private static let waiting = 64
    private static let remembered = 2000
    /// The largest number of characters in a sub label.
    private static let longest = 100

    private let options: Options
    private let recogniser: Recogniser
    private let identifier: Identifier
    private let client = WebClient(idle: 10, whole: 30)
    private let logger: Logger
    private let state = Locked(State())
    private let events: AsyncStream<FrigateEvent>
    private let feed: AsyncStream<FrigateEvent>.Continuation

    package init(
        _ options: Options, client: MQTTClient, recogniser: Recogniser, identifier: Identifier, logger: Logger
    ) {
        self.options = options
        self.recogniser = recogniser
        self.identifier = identifier
        self.logger = logger
        (events, feed) = AsyncStream.makeStream(of: FrigateEvent.self, bufferingPolicy: .bufferingNewest(Self.waiting))
        client.subscribe("\(options.prefix)/events") { [weak self] in self?.receive($0) }
    }

    var counts: Counts { state.withLock { $0.counts } }

    private func receive(_ message: MQTTMessage) {
        let event: FrigateEvent?
        do {
            event = try FrigateEvent.read(message.payload)
        } catch {
            let isNews = state.withLock { state in
                state.counts.unreadable += 1
                return !exchange(&state.saidUnreadable, with: true)
            }
            if isNews {
                logger.warning("A message of Frigate's cannot be read", metadata: ["topic": "\(message.topic)"])
            }
            return
        }
        guard let event, options.labels.contains(event.label) else { return }
        state.withLock { $0.counts.received += 1 }
        if case .dropped = feed.yield(event) { state.withLock { $0.counts.dropped += 1 } }
    }

    /// Answers events until the task is cancelled.
    package func run() async {
        for await event in events {
            guard isWorthALook(event) else { continue }
            await answer(event)
        }
    }

    /// Whether the event is new, or has a better picture than before.
    private func isWorthALook(_ event: FrigateEvent) -> Bool {
        state.withLock { $0.answered[event.id].map { $0 < event.score ?? 0 } ?? true }
    }

    private func note(_ event: FrigateEvent) {
        state.withLock { state in
            if state.answered.updateValue(event.score ?? 0, forKey: event.id) == nil { state.order.append(event.id) }
            if state.order.count > Self.remembered { state.answered[state.order.removeFirst()] = nil }
        }
    }

    private func answer(_ event: FrigateEvent) async {
        for pause in options.pauses + [0] {
            let problem = await tryOnce(event)
            if problem != nil { state.withLock { $0.counts.failed += 1 } }
            report(problem)
            if problem == nil || Task.isCancelled { return }
            if pause > 0 { try? await Task.sleep(for: .seconds(pause)) }
        }
    }

    /// - Returns: the problem, if another attempt may succeed. Nil if the event is answered, or if Frigate does not have
    ///   it yet: its next message leads to another attempt.
    private func tryOnce(_ event: FrigateEvent) async -> String? {
        let path = options.url.appending(path: "api/events/\(event.id)")
        let query = [("crop", "1"), ("quality", "95"), ("bbox", "0"), ("timestamp", "0")]
        let snapshot = path.appending(path: "snapshot.jpg").appending(
            queryItems: query.map { URLQueryItem(name: $0.0, value: $0.1) })
        let picture: WebClient.Answer
        do { picture = try await client.send(request(snapshot)) } catch { return error.localizedDescription }
        guard picture.status == 200 else {
            return picture.status == 404 ? nil : "status \(picture.status) for a snapshot"
        }
        let name: Sighting.Name?
        do {
            let options = ClassificationOptions(priority: .bulk, deadline: .now + .seconds(30))
            name = identifier.sublabel(
                try await recogniser.classify(picture.body, options: options), least: self.options.least)
        } catch RecognitionError.overloaded, RecognitionError.deadlineExceeded {
            return "the recogniser is busy"
        } catch {
            // An unreadable picture will not become readable, so the event is finished.
            note(event)
            return nil
        }
        guard let name else {
            note(event)
            state.withLock { $0.counts.unsure += 1 }
            return nil
        }
        var post = request(path.appending(path: "sub_label"))
        post.method = "POST"
        post.fields["Content-Type"] = "application/json"
        let label = SubLabel(
            subLabel: String(name.label.prefix(Self.longest)),
            subLabelScore: min(1, max(0.0001, name.confidence.rounded4)), camera: event.camera)
        post.body = [UInt8](json: label)
        let status: Int
        do { status = try await client.send(post, needsBody: false).status } catch { return error.localizedDescription }
        guard 200..<300 ~= status else { return status == 404 ? nil : "status \(status) for a sub label" }
        note(event)
        state.withLock { $0.counts.answered += 1 }
        return nil
    }

    private struct SubLabel: Encodable {
        let subLabel: String
        let subLabelScore: Double
        let camera: String
    }

    private func request(_ url: URL) -> WebRequest {
        WebRequest(url, fields: options.token.map { ["Authorization": "Bearer \($0)"] } ?? [:])
    }

    /// Logs a problem when it changes.
    private func report(_ problem: String?) {
        let wasAway = state.withLock { exchange(&$0.isAway, with: problem != nil) }
        if let problem, !wasAway {
            logger.warning("Frigate cannot be asked; it is tried again", metadata: ["reason": "\(problem)"])
        } else if problem == nil, wasAway {
            logger.notice("Frigate answers again")
        }
    }

    package func register(in registry: MetricRegistry) {
        registry.computed(
            .counter, "menagerie_frigate_events_total",
            help:
                "Events of Frigate's: heard, and of them answered, unsure, failed tries, dropped; unreadable messages.",
            labels: ["result"]
        ) { [self] in
            let counts = counts
            return [
                ("heard", counts.received), ("answered", counts.answered), ("unsure", counts.unsure),
                ("failed", counts.failed), ("dropped", counts.dropped), ("unreadable", counts.unreadable),
            ].map { (labels: [$0.0], value: Double($0.1)) }
        }
    }
}
