import CMosquitto
import Glibc

/// One connection to a broker. Only the thread that made it may use it.
///
/// libmosquitto encodes and decodes the packets. Its own thread, reconnecting and queue are not used. They give up for
/// good if a name cannot be resolved, and the queue in memory has no bound.
final class MQTTConnection {
    enum Event {
        case accepted
        /// The broker has acknowledged the message with this packet id.
        case delivered(Int32)
        /// The broker does not take the message with this packet id (MQTT 5 §3.4.2.1).
        case refused(Int32, reason: String)
        /// The broker refuses the subscription with this packet id.
        case unsubscribed(Int32, reason: String)
        case message(MQTTMessage)
    }

    /// The reason for the loss of the connection.
    struct Failure: Error, Equatable {
        let reason: String
        /// The broker does not speak the version of MQTT that was tried.
        static let version = Failure(reason: "the broker does not speak this version of MQTT")
        static let takenOver = Failure(
            reason: "another program connects with the same mqtt.client_id; each needs an id of its own")
    }

    enum Version: Int32 {
        case threeOneOne = 4
        case five = 5
    }

    /// What became of a message.
    enum Publication {
        /// ``Event/delivered(_:)`` will carry this packet id.
        case underWay(Int32)
        /// The broker does not take such messages.
        case leftOut(reason: String)
    }

    /// The largest message in bytes that is delivered. Larger ones are ignored, and a broker of MQTT 5 does not send
    /// them.
    private static let largestMessage = 4 << 20
    /// libmosquitto must be initialised once per process. It needs no clean-up.
    private static let isReady: Bool = mosquitto_lib_init() == MOSQ_ERR_SUCCESS.code

    private var handle: OpaquePointer?
    private var events: [Event] = []
    private var refusal: Failure?
    /// The errors in libmosquitto's log. Its codes say of TLS only that it failed.
    private var complaints: [String] = []

    /// Starts to connect. Blocks while the host's name is resolved.
    init(_ options: MQTTOptions, _ version: Version) throws(Failure) {
        guard Self.isReady else { throw Failure(reason: "libmosquitto cannot be used") }
        handle = mosquitto_new(options.clientID, true, nil)
        guard let handle else { throw Failure(reason: "no memory for a connection") }
        mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        mosquitto_connect_callback_set(handle) { _, user, code in MQTTConnection.at(user)?.answered(code) }
        mosquitto_publish_v5_callback_set(handle) { _, user, number, code, _ in
            MQTTConnection.at(user)?.events.append(
                code < 128 ? .delivered(number) : .refused(number, reason: MQTTConnection.reason(code)))
        }
        mosquitto_subscribe_callback_set(handle) { _, user, number, count, codes in
            guard count > 0, let code = codes?.pointee, code >= 128 else { return }
            MQTTConnection.at(user)?.events.append(.unsubscribed(number, reason: MQTTConnection.reason(code)))
        }
        mosquitto_log_callback_set(handle) { _, user, level, text in
            guard level == MOSQ_LOG_ERR, let text else { return }
            MQTTConnection.at(user)?.complaints.append(String(cString: text))
        }
        mosquitto_disconnect_callback_set(handle) { _, user, code in MQTTConnection.at(user)?.ended(code) }
        mosquitto_message_callback_set(handle) { _, user, message in MQTTConnection.at(user)?.took(message) }
        if let will = options.will {
            try check(
                mosquitto_will_set(
                    handle, will.topic, Int32(clamping: will.payload.count), will.payload, will.delivery.rawValue,
                    will.isRetained))
        }
        try check(mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, version.rawValue))
        if version == .five { try limitPackets() }
        if let user = options.user { try check(mosquitto_username_pw_set(handle, user, options.password)) }
        if options.isEncrypted {
            if let authorities = options.authorities {
                guard mosquitto_tls_set(handle, authorities, nil, nil, nil, nil) == MOSQ_ERR_SUCCESS.code else {
                    throw Failure(reason: "the file of mqtt.ca_file, \(authorities), cannot be read")
                }
            } else {
                try check(mosquitto_int_option(handle, MOSQ_OPT_TLS_USE_OS_CERTS, 1))
            }
        }
        // Without this option a message waits for the acknowledgement of the one before.
        try check(mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1))
        let code = mosquitto_connect_async(
            handle, options.host, Int32(clamping: options.port), Int32(clamping: options.keepAlive))
        try check(code)
    }

    /// Tells the broker the largest packet that it may send (MQTT 5 §3.1.2.11.4). libmosquitto takes packets of every
    /// size into memory.
    private func limitPackets() throws(Failure) {
        var properties: OpaquePointer?
        defer { mosquitto_property_free_all(&properties) }
        try check(
            mosquitto_property_add_int32(
                &properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), UInt32(Self.largestMessage)))
        // Only this function takes properties, but it blocks until there is a connection. Without a host it keeps them
        // for the connection and returns.
        _ = mosquitto_connect_bind_v5(handle, nil, 0, 0, nil, properties)
    }

    deinit {
        if let handle { mosquitto_destroy(handle) }
    }

    /// The pointer comes from `init`, and the connection outlives the handle.
    private static func at(_ user: UnsafeMutableRawPointer?) -> MQTTConnection? {
        user.map { Unmanaged<MQTTConnection>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Waits until the socket or `wake` is ready, then reads and writes as much as possible.
    ///
    /// - Parameter milliseconds: the longest wait.
    func turn(waking wake: Int32, milliseconds: Int32) throws(Failure) -> [Event] {
        events = []
        let socket = mosquitto_socket(handle)
        if socket >= 0 {
            var waited = [
                pollfd(fd: socket, events: Int16(POLLIN | (mosquitto_want_write(handle) ? POLLOUT : 0)), revents: 0),
                pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
            ]
            _ = poll(&waited, 2, milliseconds)
        }
        // TLS may hold decrypted bytes while the socket is empty, so reading continues until nothing more comes.
        var before: Int
        repeat {
            before = events.count
            let code = mosquitto_loop(handle, 0, 1)
            if let refusal { throw refusal }
            try check(code)
        } while events.count > before && events.count < 1000
        return events
    }

    /// A message larger than the broker's Maximum Packet Size (MQTT 5 §3.2.2.3.6) is not sent, since the broker would
    /// disconnect.
    @discardableResult func publish(_ message: MQTTMessage) throws(Failure) -> Publication {
        var number: Int32 = 0
        let code = mosquitto_publish(
            handle, &number, message.topic, Int32(clamping: message.payload.count), message.payload,
            message.delivery.rawValue, message.isRetained)
        switch code {
        case MOSQ_ERR_OVERSIZE_PACKET.code: return .leftOut(reason: "larger than the broker's max_packet_size")
        case MOSQ_ERR_QOS_NOT_SUPPORTED.code: return .leftOut(reason: "the broker does not acknowledge messages")
        case MOSQ_ERR_RETAIN_NOT_SUPPORTED.code: return .leftOut(reason: "the broker does not retain messages")
        default:
            try check(code)
            return .underWay(number)
        }
    }

    /// - Returns: the packet id.
    func subscribe(_ filter: String) throws(Failure) -> Int32 {
        var number: Int32 = 0
        try check(mosquitto_subscribe(handle, &number, filter, 0))
        return number
    }

    /// Disconnects, so that the broker does not send the will. Blocks for a moment.
    func end() {
        mosquitto_disconnect(handle)
        for _ in 0..<20 where mosquitto_loop(handle, 50, 1) == MOSQ_ERR_SUCCESS.code {}
    }

    private func answered(_ code: Int32) {
        switch code {
        case 0: events.append(.accepted)
        case 1, 132: refusal = .version
        default: refusal = Failure(reason: Self.refusal(code))
        }
    }

    /// - Parameter code: the broker's reason (MQTT 5 §3.14.2.1) from 128; an error of libmosquitto below.
    private func ended(_ code: Int32) {
        guard code >= 128 else { return }
        refusal = code == 142 ? .takenOver : Failure(reason: Self.reason(code))
    }

    private static func reason(_ code: Int32) -> String { String(cString: mosquitto_reason_string(code)) }

    private func took(_ message: UnsafePointer<mosquitto_message>?) {
        guard let message = message?.pointee, let topic = message.topic, message.payloadlen <= Self.largestMessage
        else { return }
        let payload = UnsafeRawBufferPointer(start: message.payload, count: Int(max(0, message.payloadlen)))
        events.append(.message(MQTTMessage(String(cString: topic), Array(payload), isRetained: message.retain)))
    }

    private func check(_ code: Int32) throws(Failure) {
        guard code != MOSQ_ERR_SUCCESS.code else { return }
        // The number is read at once, since other calls overwrite it.
        let number = errno
        let reason =
            switch (code, number) {
            // libmosquitto has read something that no system call refused.
            case (MOSQ_ERR_ERRNO.code, 0), (MOSQ_ERR_PROTOCOL.code, _): "it does not answer as an MQTT broker does"
            // libmosquitto has no words for this one.
            case (MOSQ_ERR_KEEPALIVE.code, _): "it no longer answers"
            case (MOSQ_ERR_ERRNO.code, _): String(cString: strerror(number))
            case (MOSQ_ERR_TLS.code, _): Self.reason(ofTLS: complaints)
            default: String(cString: mosquitto_strerror(code))
            }
        throw Failure(reason: reason)
    }

    /// - Parameter complaints: such as `OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed`.
    private static func reason(ofTLS complaints: [String]) -> String {
        let reasons = complaints.compactMap { complaint in
            complaint.split(separator: ":").last?.drop { $0 == " " }
        }.joined(separator: ", ")
        if reasons.contains("host name verification failed") {
            return "the broker's certificate is made out to another name than that in mqtt.url"
        } else if reasons.contains("certificate verify failed") {
            return "the broker's certificate is over, or its authority is not known to this machine or mqtt.ca_file"
        } else if reasons.contains("wrong version number") || reasons.contains("unexpected eof") {
            return "the broker does not speak TLS at this port, as it seems; mqtt:// is without TLS"
        }
        return "TLS: \(reasons)"
    }

    /// MQTT 3.1.1 §3.2.2.3, MQTT 5 §3.2.2.2.
    private static func refusal(_ code: Int32) -> String {
        switch code {
        case 2, 133: "the broker refuses this client id"
        case 3, 136: "the broker is not available"
        case 4, 134: "the broker refuses user or password"
        case 5, 135: "the broker does not let this user in"
        default: "the broker refuses, with code \(code)"
        }
    }
}

extension mosq_err_t {
    var code: Int32 { rawValue }
}
