package import Base
import CSystemCalls
import Foundation
import Glibc
package import Logging
package import Telemetry

/// The connection to one MQTT broker for the life of the service. It reconnects after failures, and stores messages
/// that must arrive.
///
/// One thread talks to the broker. Callers only leave messages here, and never wait for the broker.
package final class MQTTClient: Sendable {
    /// Receives a message on the client's thread. It must not block.
    package typealias Handler = @Sendable (MQTTMessage) -> Void

    package enum Status: Sendable, Equatable {
        case starting
        case connected
        case away(reason: String)
    }

    struct State {
        var status = Status.starting
        /// The current values of topics, in the order of their first use. The broker receives them after each
        /// connection.
        var kept: [String: MQTTMessage] = [:]
        var order: [String] = []
        /// The topics whose values the current connection still has to send.
        var unsent: [String] = []
        /// Messages that are sent once. They are lost without a connection.
        var passing: [MQTTMessage] = []
        /// The topics whose messages were logged as left out.
        var leftOut: Set<String> = []
        /// The filters whose subscriptions were logged as refused.
        var unheard: Set<String> = []
        var subscriptions: [(filter: String, handler: Handler)] = []
        var isStopping = false
        var isRunning = false
        var counts = Counts()
    }

    /// Numbers for the metrics.
    package struct Counts: Sendable, Equatable {
        package var sent = 0
        package var delivered = 0
        package var received = 0
        package var connections = 0
        package var failures = 0
        package var lost = 0
    }

    /// The largest number of such messages that wait for the thread.
    private static let passingLimit = 256

    let options: MQTTOptions
    let outbox: Outbox
    let logger: Logger
    let state = Locked(State())
    /// An event descriptor that is readable when there is work.
    let wake: Int32

    /// - Parameter outbox: stores the messages that must arrive.
    package init(_ options: MQTTOptions, outbox: Outbox, logger: Logger) {
        self.options = options
        self.outbox = outbox
        self.logger = logger
        wake = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    }

    deinit { close(wake) }

    package var status: Status { state.withLock { $0.status } }
    package var counts: Counts { state.withLock { $0.counts } }
    package var waiting: Int { outbox.count }

    /// Subscribes to topics on this and every later connection. Call it before ``start()``.
    package func subscribe(_ filter: String, _ handler: @escaping Handler) {
        state.withLock { $0.subscriptions.append((filter, handler)) }
    }

    /// Sets the current value of a topic. It is sent now and again after each connection, also the empty value that
    /// deletes a retained one: a message of QoS 0 may be lost on a connection that is dead.
    package func keep(_ message: MQTTMessage) {
        state.withLock { state in
            if state.kept.updateValue(message, forKey: message.topic) == nil { state.order.append(message.topic) }
            if !state.unsent.contains(message.topic) { state.unsent.append(message.topic) }
        }
        signal()
    }

    /// Forgets the values of all topics that begin with a prefix. They are not sent any more.
    package func forget(topicsFrom prefix: String) {
        state.withLock { state in
            state.kept = state.kept.filter { !$0.key.hasPrefix(prefix) }
            state.order.removeAll { $0.hasPrefix(prefix) }
            state.unsent.removeAll { $0.hasPrefix(prefix) }
        }
    }

    /// Sends all values of ``keep(_:)`` again, for a subscriber that has restarted.
    package func repeatAll() {
        state.withLock { $0.unsent = $0.order }
        signal()
    }

    /// Sends a message now. It is lost without a connection.
    package func pass(_ message: MQTTMessage) {
        state.withLock { state in
            guard state.status == .connected, state.passing.count < Self.passingLimit else {
                state.counts.lost += 1
                return
            }
            state.passing.append(message)
        }
        signal()
    }

    /// Sends a message until the broker acknowledges it, even after restarts of either side. Blocks until the message
    /// is on the disk.
    ///
    /// - Throws: `FileError` if the message cannot be stored. It is then sent once, as by ``pass(_:)``.
    package func post(_ message: MQTTMessage) throws(FileError) {
        do throws(FileError) {
            try outbox.add(message.stored)
        } catch {
            pass(message)
            throw error
        }
        signal()
    }

    package func start() {
        if state.withLock({ exchange(&$0.isRunning, with: true) }) { return }
        let thread = Thread { [self] in run() }
        thread.name = "menagerie.mqtt"
        thread.start()
    }

    /// Disconnects, and waits briefly for the thread to end.
    package func stop() async {
        state.withLock { $0.isStopping = true }
        signal()
        for _ in 0..<200 where state.withLock({ $0.isRunning }) { try? await Task.sleep(for: .milliseconds(10)) }
    }

    private func signal() {
        var one: UInt64 = 1
        _ = write(wake, &one, 8)
    }
}

extension MQTTClient {
    package func register(in registry: MetricRegistry) {
        registry.computed(.gauge, "menagerie_mqtt_connected", help: "Whether the MQTT broker is connected.") {
            [self] in [([], status == .connected ? 1 : 0)]
        }
        registry.computed(.gauge, "menagerie_mqtt_waiting", help: "Messages that wait for the MQTT broker.") {
            [self] in [([], Double(waiting))]
        }
        let counters: [(name: String, help: String, value: @Sendable (Counts) -> Int)] = [
            ("menagerie_mqtt_connections_total", "Connections that the MQTT broker accepted.", { $0.connections }),
            ("menagerie_mqtt_failures_total", "Tries to reach the MQTT broker that failed.", { $0.failures }),
            ("menagerie_mqtt_sent_total", "Messages sent to the MQTT broker, repeated ones too.", { $0.sent }),
            ("menagerie_mqtt_delivered_total", "Messages of QoS 1 that the MQTT broker has.", { $0.delivered }),
            ("menagerie_mqtt_received_total", "Messages that came from the MQTT broker.", { $0.received }),
            (
                "menagerie_mqtt_lost_total",
                "Messages of QoS 0 while the MQTT broker was away, and all that it does not take.", { $0.lost }
            ),
        ]
        for counter in counters {
            registry.computed(.counter, counter.name, help: counter.help) { [self] in
                [([], Double(counter.value(counts)))]
            }
        }
        registry.computed(
            .counter, "menagerie_mqtt_dropped_total",
            help: "Messages that waited for the MQTT broker and made room for newer ones."
        ) { [self] in [([], Double(outbox.dropped))] }
    }
}
