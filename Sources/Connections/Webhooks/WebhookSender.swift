import Base
import Foundation
package import Logging
package import Telemetry

/// Sends sightings to webhooks. A failed request waits on the disk and is repeated, also after a restart. A slow
/// webhook does not delay the others.
package actor WebhookSender: SightingListener {
    /// The number of requests by outcome.
    private struct Counts: Sendable {
        var sent = 0
        var failed = 0
        var refused = 0
        var givenUp = 0
    }

    /// A webhook with its waiting requests, and a stream that signals new ones.
    private struct Queue: Sendable {
        let hook: Webhook
        let outbox: Outbox
        let signals: AsyncStream<Void>
        let signal: AsyncStream<Void>.Continuation
        /// The newest requests that the disk does not take.
        let unkept: AsyncStream<WebhookRequest>
        let pass: AsyncStream<WebhookRequest>.Continuation
        let counts = Locked(Counts())
    }

    /// The largest number of waiting requests for one webhook.
    private static let limit = 1000
    /// The number of animals that are remembered, so that no webhook receives an animal too often.
    private static let remembered = 1000
    /// The largest answer of a webhook in bytes.
    private static let largestAnswer = 1 << 20
    /// The time until a waiting item that could not be read is tried again.
    private static let unreadablePause = Duration.seconds(5)

    private let queues: [Queue]
    private let directory: String
    private let client: WebClient
    private let address: String?
    /// The first and the longest pause between two attempts, in seconds.
    private let backOff: ClosedRange<Double>
    private let logger: Logger
    private var lastSent: [String: ContinuousClock.Instant] = [:]
    private let pool = BlockingPool(label: "menagerie.webhooks", width: 2, maximumPending: 1024)

    /// - Parameters:
    ///   - directory: the folder of waiting requests.
    ///   - allowsPrivate: whether addresses of this machine and of private networks are allowed.
    ///   - address: the service's address for browsers, without a slash at its end. Nil if the operator has set none.
    package init(
        _ hooks: [Webhook], directory: String, allowsPrivate: Bool, address: String?,
        backOff: ClosedRange<Double> = 2...300, logger: Logger
    ) {
        queues = hooks.map { hook in
            let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let (unkept, pass) = AsyncStream.makeStream(of: WebhookRequest.self, bufferingPolicy: .bufferingNewest(16))
            return Queue(
                hook: hook, outbox: Outbox(directory: "\(directory)/\(hook.name)", limit: Self.limit), signals: signals,
                signal: signal, unkept: unkept, pass: pass)
        }
        client = WebClient(idle: 10, whole: 30, allowsPrivate: allowsPrivate)
        self.directory = directory
        self.address = address
        self.backOff = backOff
        self.logger = logger
    }

    package func take(_ event: SightingEvent) async {
        for queue in queues where queue.hook.wants(event) && isDue(event, queue.hook) {
            let request = WebhookRequest(event, for: queue.hook, address: address)
            let outbox = queue.outbox
            let isKept = await pool.runIfRoom {
                (try? outbox.add(Array(json: request))) != nil
            }
            if isKept == true {
                queue.signal.yield()
            } else {
                logger.warning(
                    "A request cannot be kept for a webhook, and is sent once",
                    metadata: ["webhook": "\(queue.hook.name)"])
                queue.pass.yield(request)
            }
        }
    }

    /// Whether the last message about this animal is long enough ago.
    private func isDue(_ event: SightingEvent, _ hook: Webhook) -> Bool {
        let interval = hook.every_s ?? 60
        guard interval > 0 else { return true }
        let sighting = event.sighting
        let key = "\(hook.name) \(event.kind) \(sighting.camera) \(sighting.key)"
        let now = ContinuousClock.now
        if let last = lastSent[key], now - last < .seconds(interval) { return false }
        if lastSent.count >= Self.remembered {
            let oldest = lastSent.min { $0.value < $1.value }?.key
            if let oldest { lastSent[oldest] = nil }
        }
        lastSent[key] = now
        return true
    }

    /// Sends waiting and new requests until the task is cancelled. Those for webhooks that were removed are deleted.
    nonisolated package func run() async {
        let locks = await lockFolders()
        defer { locks.forEach { FileSystem.closeDescriptor($0) } }
        await withDiscardingTaskGroup { group in
            for queue in queues {
                group.addTask { await self.serve(queue) }
                group.addTask {
                    for await request in queue.unkept { await self.sendOnce(request, to: queue) }
                }
            }
        }
    }

    /// Locks the folders of the webhooks, and deletes all others that are not locked. Another service on the same data
    /// directory may have other webhooks.
    ///
    /// - Returns: the locks.
    private nonisolated func lockFolders() async -> [Int32] {
        await pool.runIfRoom { [directory, logger, queues] in
            let locks = queues.compactMap { $0.outbox.lock() }
            for name in FileSystem.names(in: directory) where !queues.contains(where: { $0.hook.name == name }) {
                let count = Outbox.remove(directory: "\(directory)/\(name)")
                guard count > 0 else { continue }
                logger.warning(
                    "The requests of a webhook that was removed are deleted",
                    metadata: ["webhook": "\(name.printable)", "requests": "\(count)"])
            }
            return locks
        } ?? []
    }

    private nonisolated func sendOnce(_ request: WebhookRequest, to queue: Queue) async {
        switch await send(request.request(queue.hook)) {
        case .taken: queue.counts.withLock { $0.sent += 1 }
        case .refused: queue.counts.withLock { $0.refused += 1 }
        case .later: queue.counts.withLock { $0.givenUp += 1 }
        }
    }

    /// A round tries each waiting request once, oldest first. It ends at once where the whole receiver is away.
    private nonisolated func serve(_ queue: Queue) async {
        var pause = backOff.lowerBound
        /// The requests that failed in this round.
        var failed: Set<Int> = []
        var nextRound = ContinuousClock.now
        var isAway = false
        while !Task.isCancelled {
            if .now >= nextRound { failed = [] }
            guard let item = queue.outbox.oldest(1, except: failed).first else {
                let unreadable = queue.outbox.hasUnreadable ? ContinuousClock.now + Self.unreadablePause : nil
                await waitForRequest(to: queue, until: failed.isEmpty ? unreadable : nextRound)
                continue
            }
            guard let waiting = try? JSONDecoder().decode(WebhookRequest.self, from: Data(item.bytes)) else {
                queue.outbox.remove(item.number)
                continue
            }
            let about: Logger.Metadata = ["webhook": "\(queue.hook.name)", "delivery": "\(waiting.id)"]
            // The clock may be set while a request waits, as on a Raspberry Pi after its start.
            let age = item.added.map { (.now - $0) / .seconds(1) } ?? Date().timeIntervalSince1970 - waiting.made
            guard age < queue.hook.give_up_after_s ?? 86_400 else {
                queue.counts.withLock { $0.givenUp += 1 }
                logger.warning("A request to a webhook is too old and given up", metadata: about)
                queue.outbox.remove(item.number)
                continue
            }
            let outcome = await send(waiting.request(queue.hook))
            if Task.isCancelled { return }
            switch outcome {
            case .taken, .refused:
                if case .refused(let reason) = outcome {
                    queue.counts.withLock { $0.refused += 1 }
                    logger.warning(
                        "A webhook refuses a request, which is dropped",
                        metadata: about.merging(["reason": "\(reason)"]) { $1 })
                } else {
                    queue.counts.withLock { $0.sent += 1 }
                }
                queue.outbox.remove(item.number)
                guard failed.isEmpty else { continue }
                if isAway { logger.notice("A webhook takes requests again", metadata: about) }
                isAway = false
                pause = backOff.lowerBound
            case .later(let reason, let isWhole, let retryAfter):
                queue.counts.withLock { $0.failed += 1 }
                if !isAway {
                    logger.warning(
                        "A webhook does not take a request, which waits",
                        metadata: about.merging(["reason": "\(reason)"]) { $1 })
                }
                isAway = true
                if failed.isEmpty || isWhole {
                    let told = min(retryAfter ?? 0, backOff.upperBound)
                    nextRound = .now + .seconds(max(told, pause * Double.random(in: 0.8...1.2)))
                    pause = min(pause * 2, backOff.upperBound)
                }
                failed.insert(item.number)
                if isWhole { try? await Task.sleep(until: nextRound) }
            }
        }
    }

    /// Waits for a new request, or until a moment.
    private nonisolated func waitForRequest(to queue: Queue, until moment: ContinuousClock.Instant?) async {
        let alarm = moment.map { moment in
            Task {
                try await Task.sleep(until: moment)
                queue.signal.yield()
            }
        }
        // The stream has no other reader.
        for await _ in queue.signals { break }
        alarm?.cancel()
    }

    private enum Outcome {
        case taken
        /// Another attempt would be refused too.
        case refused(String)
        /// `isWhole` says that any other request would fail too.
        case later(String, isWhole: Bool = true, retryAfter: Double? = nil)
    }

    private nonisolated func send(_ request: WebRequest) async -> Outcome {
        let answer: WebClient.Answer
        // The status says whether the webhook has the event. A body that never ends must not lead to another delivery.
        do { answer = try await client.send(request, limit: Self.largestAnswer, needsBody: false) } catch {
            if case .isPrivate = error { return .later("\(error.localizedDescription) without webhooks.allow_private") }
            return .later(error.localizedDescription)
        }
        return switch answer.status {
        case 200..<300: .taken
        case 300..<400: .refused("it redirects, which is not followed")
        case 408, 429, 502...504: .later("status \(answer.status)", retryAfter: answer.retryAfter)
        case 500...: .later("status \(answer.status)", isWhole: false, retryAfter: answer.retryAfter)
        default: .refused("status \(answer.status)")
        }
    }

    nonisolated package func register(in registry: MetricRegistry) {
        registry.computed(
            .counter, "menagerie_webhook_requests_total",
            help: "Requests to a webhook: sent, failed (tried again), refused, given_up or dropped (too many waited).",
            labels: ["webhook", "result"]
        ) { [self] in
            queues.sorted { $0.hook.name < $1.hook.name }.flatMap { queue in
                let counts = queue.counts.withLock { $0 }
                return [
                    ("sent", counts.sent), ("failed", counts.failed), ("refused", counts.refused),
                    ("given_up", counts.givenUp), ("dropped", queue.outbox.dropped),
                ].map { (labels: [queue.hook.name, $0.0], value: Double($0.1)) }
            }
        }
        registry.computed(
            .gauge, "menagerie_webhook_waiting", help: "Requests that wait for a webhook.", labels: ["webhook"]
        ) { [self] in queues.map { ([$0.hook.name], Double($0.outbox.count)) } }
    }
}
