import Base
import CMosquitto
import Glibc
import Logging

/// The work of the client's thread.
extension MQTTClient {
    /// The most messages sent without the broker's acknowledgement.
    private static let window = 20
    /// A connection that lasted this long is followed by an immediate attempt to reconnect.
    private static let steady = Duration.seconds(30)
    /// How long the broker may take to answer.
    private static let patience = Duration.seconds(15)
    /// This many short connections in a row suggest another client with the same id. Many brokers close the connection of
    /// the older client without a reason.
    private static let losses = 3
    private static let suspicion =
        " It never lasts. Does another program use the same mqtt.client_id? Each needs an id of its own."

    /// A message that the broker has not acknowledged yet.
    private struct UnderWay {
        /// Its number in the outbox.
        let item: Int
        let message: MQTTMessage
    }

    private var isStopping: Bool { state.withLock { $0.isStopping } }

    func run() {
        let lock = outbox.lock()
        defer { lock.map(FileSystem.closeDescriptor) }
        var delay = options.backOff.lowerBound
        var version = MQTTConnection.Version.five
        var losses = 0
        while !isStopping {
            let begin = ContinuousClock.now
            let connections = counts.connections
            do throws(MQTTConnection.Failure) {
                try talk(version)
                break
            } catch {
                // A broker without MQTT 5 refuses it, or closes the connection without an answer.
                let wasAccepted = counts.connections > connections
                let isSteady = ContinuousClock.now - begin > Self.steady
                version = version == .five && !wasAccepted ? .threeOneOne : .five
                if error == .version, version == .threeOneOne { continue }
                if wasAccepted { losses = isSteady || error == .takenOver ? 0 : losses + 1 }
                let isSuspect = wasAccepted && losses >= Self.losses
                report(.away(reason: error.reason + (isSuspect ? Self.suspicion : "")))
                if isSteady { delay = options.backOff.lowerBound }
            }
            rest(seconds: delay * Double.random(in: 0.8...1.2))
            delay = min(delay * 2, options.backOff.upperBound)
        }
        state.withLock { $0.isRunning = false }
    }

    /// Exchanges messages until the connection breaks or the client is stopped.
    private func talk(_ version: MQTTConnection.Version) throws(MQTTConnection.Failure) {
        let connection = try MQTTConnection(options, version)
        let begin = ContinuousClock.now
        var isAccepted = false
        /// The messages without acknowledgement, by the packet ids of the connection.
        var underWay: [Int32: UnderWay] = [:]
        var filters: [Int32: String] = [:]
        var isFull = false
        while !isStopping {
            if !isAccepted, ContinuousClock.now - begin > Self.patience {
                throw MQTTConnection.Failure(reason: "no answer for \(Self.patience / .seconds(1)) s")
            }
            let events = try connection.turn(waking: wake, milliseconds: isAccepted && !isFull ? 1000 : 50)
            clear()
            for event in events {
                switch event {
                case .accepted:
                    isAccepted = true
                    filters = try greet(connection)
                case .delivered(let number):
                    guard let sent = underWay.removeValue(forKey: number) else { continue }
                    state.withLock { $0.counts.delivered += 1 }
                    outbox.remove(sent.item)
                case .refused(let number, let reason):
                    guard let sent = underWay.removeValue(forKey: number) else { continue }
                    leaveOut(sent.message, reason)
                    outbox.remove(sent.item)
                case .unsubscribed(let number, let reason):
                    guard let filter = filters[number] else { continue }
                    report(unheard: filter, reason)
                case .message(let message):
                    hand(over: message)
                }
            }
            if isAccepted { isFull = try send(connection, &underWay) }
        }
        if isAccepted, let will = options.will {
            // A normal disconnect suppresses the will, so its message is published here.
            try connection.publish(will)
        }
        connection.end()
    }

    /// - Returns: the filters of the subscriptions, by their packet ids.
    private func greet(_ connection: MQTTConnection) throws(MQTTConnection.Failure) -> [Int32: String] {
        let filters = state.withLock { state in
            state.unsent = state.order
            state.counts.connections += 1
            return state.subscriptions.map(\.filter)
        }
        var numbers: [Int32: String] = [:]
        for filter in filters { numbers[try connection.subscribe(filter)] = filter }
        report(.connected)
        return numbers
    }

    /// Logs that the broker refuses a subscription, once for each filter.
    private func report(unheard filter: String, _ reason: String) {
        guard state.withLock({ $0.unheard.insert(filter).inserted }) else { return }
        logger.warning(
            "The MQTT broker refuses a subscription, so these messages do not arrive",
            metadata: ["topic": "\(filter)", "reason": "\(reason)"])
    }

    /// Sends all waiting messages.
    ///
    /// - Returns: whether more messages wait than may be unacknowledged.
    private func send(
        _ connection: MQTTConnection, _ underWay: inout [Int32: UnderWay]
    ) throws(MQTTConnection.Failure) -> Bool {
        let messages = state.withLock { state in
            defer { (state.unsent, state.passing) = ([], []) }
            return state.passing + state.unsent.compactMap { state.kept[$0] }
        }
        for message in messages { _ = try publish(message, connection) }
        let room = Self.window - underWay.count
        for item in outbox.oldest(room, except: Set(underWay.values.map(\.item))) {
            guard let message = MQTTMessage(stored: item.bytes) else {
                outbox.remove(item.number)
                continue
            }
            if let number = try publish(message, connection) {
                underWay[number] = UnderWay(item: item.number, message: message)
            } else {
                outbox.remove(item.number)
            }
        }
        return outbox.count > underWay.count
    }

    /// - Returns: the packet id; nil if the broker does not take the message.
    private func publish(
        _ message: MQTTMessage, _ connection: MQTTConnection
    ) throws(MQTTConnection.Failure) -> Int32? {
        switch try connection.publish(message) {
        case .underWay(let number):
            state.withLock { $0.counts.sent += 1 }
            return number
        case .leftOut(let reason):
            leaveOut(message, reason)
            return nil
        }
    }

    /// Counts a message that the broker does not take, and logs the first of a topic.
    private func leaveOut(_ message: MQTTMessage, _ reason: String) {
        let isFirst = state.withLock { state in
            state.counts.lost += 1
            return state.leftOut.insert(message.topic).inserted
        }
        guard isFirst else { return }
        logger.warning(
            "Messages are left out, since the MQTT broker does not take them",
            metadata: [
                "topic": "\(message.topic)", "bytes": "\(message.payload.count)", "reason": "\(reason)",
            ])
    }

    private func hand(over message: MQTTMessage) {
        let handlers = state.withLock { state in
            state.counts.received += 1
            return state.subscriptions
        }
        for (filter, handler) in handlers where Self.matches(filter, message.topic) { handler(message) }
    }

    /// MQTT 3.1.1 §4.7.
    static func matches(_ filter: String, _ topic: String) -> Bool {
        var matches = false
        return mosquitto_topic_matches_sub(filter, topic, &matches) == MOSQ_ERR_SUCCESS.code && matches
    }

    /// Logs the status when it changes, not at every attempt.
    private func report(_ status: Status) {
        let before = state.withLock { state in
            defer { state.status = status }
            if case .away = status {
                state.counts.failures += 1
                state.counts.lost += state.passing.count
                state.passing = []
            }
            return state.status
        }
        guard status != before else { return }
        let broker = "\(options.host):\(options.port)"
        switch status {
        case .away(let reason):
            logger.warning(
                "The MQTT broker cannot be reached", metadata: ["broker": "\(broker)", "reason": "\(reason)"])
        case .connected:
            logger.notice("The MQTT broker is connected", metadata: ["broker": "\(broker)"])
        case .starting: break
        }
    }

    /// Waits for the time, or until the client is stopped. New messages do not shorten the wait.
    private func rest(seconds: Double) {
        let end = ContinuousClock.now + .seconds(seconds)
        while !isStopping, ContinuousClock.now < end {
            clear()
            var waited = pollfd(fd: wake, events: Int16(POLLIN), revents: 0)
            _ = poll(&waited, 1, Int32(clamping: Int(clamping: ((end - .now) / .milliseconds(1)).rounded(.up))))
        }
    }

    private func clear() {
        var count: UInt64 = 0
        _ = read(wake, &count, 8)
    }
}
