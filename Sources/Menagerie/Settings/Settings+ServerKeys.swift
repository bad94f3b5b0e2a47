import HTTP

/// The keys of the server.
extension Settings {
    // MARK: http

    static let host = Setting(
        "http.host", default: "127.0.0.1", "Address to listen on; 0.0.0.0 or :: for every interface.")
    static let port = Setting("http.port", default: 8080, in: 0...65535, "TCP port; 0 takes a free one and logs it.")
    static let unixSocket = Setting(
        "http.unix_socket", default: "", "Path of a Unix domain socket to listen on instead of host and port.")
    static let eventLoop = Setting(
        "http.event_loop", default: "epoll", in: EventLoopKind.allCases.map(\.rawValue),
        "What connections are waited for with: epoll is the faster; dispatch does it on Dispatch's threads.")
    static let loops = Setting(
        "http.loops", default: 0, in: 0...64, "Event loops; 0 takes one for every two processor cores.")
    static let backlog = Setting(
        "http.backlog", default: 1024, in: 1...65535, "Connections that the kernel may hold before they are accepted.")
    static let maxConnections = Setting(
        "http.max_connections", default: 20_000, in: 1...1_000_000,
        "Open connections; a further one is answered 503 and closed.")
    static let maxBodyBytes = Setting(
        "http.max_body_bytes", default: 33_554_432, in: 1024...2_147_483_648,
        "Largest request body in bytes; more is a 413.")
    static let bodyMemory = Setting(
        "http.body_memory_bytes", default: 536_870_912, in: 1_048_576...1_099_511_627_776,
        "Bytes that the bodies of all requests may take in memory, one client half of them; more is a 503. One of the "
            + "largest size always fits.")
    static let maxHeaderBytes = Setting(
        "http.max_header_bytes", default: 32_768, in: 1024...1_048_576, "All header fields in bytes; more is a 431.")
    static let maxHeaderLineBytes = Setting(
        "http.max_header_line_bytes", default: 8192, in: 64...1_048_576, "One header field in bytes; more is a 431.")
    static let maxHeaderFields = Setting(
        "http.max_header_fields", default: 100, in: 8...1000, "Number of header fields; more is a 431.")
    static let maxTargetBytes = Setting(
        "http.max_target_bytes", default: 8192, in: 256...65536, "Request line in bytes; more is a 414.")
    static let maxMethodBytes = Setting(
        "http.max_method_bytes", default: 32, in: 7...1024, "Name of a method in bytes; more is a 501.")
    static let maxChunkExtensionBytes = Setting(
        "http.max_chunk_extension_bytes", default: 4096, in: 0...1_048_576,
        "All chunk extensions of a body in bytes; more is a 400.")
    static let maxTrailerBytes = Setting(
        "http.max_trailer_bytes", default: 8192, in: 0...1_048_576,
        "All trailer fields of a body in bytes; more is a 431.")
    static let maxEmptyLines = Setting(
        "http.max_empty_lines", default: 8, in: 0...1000, "Empty lines before a request; more is a 400.")
    static let maxPipelined = Setting(
        "http.max_pipelined_per_turn", default: 128, in: 1...100_000,
        "Pipelined requests that one connection gets answered before others have their turn.")
    static let maxRequestsPerConnection = Setting(
        "http.max_requests_per_connection", default: 0, in: 0...1_000_000_000,
        "Requests after which a connection closes; 0: any number.")
    static let headerTimeout = Setting(
        "http.header_timeout_s", default: 10.0, in: 0.1...3600,
        "Seconds from a request's first byte to the end of its header.")
    static let bodyTimeout = Setting(
        "http.body_timeout_s", default: 30.0, in: 0.1...3600, "Seconds that a request body may stand still.")
    static let idleTimeout = Setting(
        "http.idle_timeout_s", default: 60.0, in: 0.1...86400,
        "Seconds that a connection may wait for its next request.")
    static let writeTimeout = Setting(
        "http.write_timeout_s", default: 30.0, in: 0.1...3600, "Seconds that a client may take no bytes of its answer.")
    static let lingerTimeout = Setting(
        "http.linger_timeout_s", default: 2.0, in: 0.01...60,
        "Seconds that a client has to close after the last answer, before the connection is closed anyway.")
    static let minimumRate = Setting(
        "http.minimum_rate_bytes_s", default: 1024, in: 1...1_000_000_000,
        "Bytes a second at which a body has to come and an answer to be taken, once its timeout is used up.")
    static let halfClosedProbe = Setting(
        "http.half_closed_probe_ms", default: 250, in: 0...60_000,
        "Milliseconds after which a waiting client that ended its side is sent 102 to learn if it left; 0: never.")
    static let trustedProxies = Setting(
        "http.trusted_proxies", default: "",
        "Proxies whose Forwarded or X-Forwarded-For is believed: networks such as 10.0.0.0/8, separated by commas; "
            + "unix for a Unix domain socket.")
    static let drainDelay = Setting(
        "http.drain_delay_s", default: 0.0, in: 0.0...600,
        "Seconds for which it serves on after it was told to stop, while /readyz answers 503: for balancers to notice.")
    static let drainTimeout = Setting(
        "http.drain_timeout_s", default: 10.0, in: 0.0...3600,
        "Seconds that requests in flight get to finish after SIGTERM.")
    static let tlsCertificate = Setting(
        "http.tls_certificate", default: "",
        "PEM file with the certificate chain; with it the service speaks HTTPS. Read again on SIGHUP.")
    static let tlsKey = Setting("http.tls_key", default: "", "PEM file with the private key of the certificate.")
    static let tlsMinimumVersion = Setting(
        "http.tls_minimum_version", default: "1.2", in: ["1.2", "1.3"], "Lowest version of TLS that is spoken.")
    static let tlsHandshakeTimeout = Setting(
        "http.tls_handshake_timeout_s", default: 10.0, in: 0.01...3600, "Seconds that a TLS handshake may take.")
    static let hstsMaxAge = Setting(
        "http.hsts_max_age_s", default: 63_072_000, in: 0...1_000_000_000,
        "Seconds for which browsers are told to come by HTTPS only; 0 does not tell.")
    static let allowedHosts = Setting(
        "http.allowed_hosts", default: "",
        "Names by which the service may be called beside addresses, localhost and the machine's name, separated by commas: "
            + "zoo.example, *.zoo.example; * for any. Another name is a 421.")
    static let corsOrigins = Setting(
        "http.cors_origins", default: "",
        "Origins whose pages may use the service as its own page may, separated by commas, such as https://zoo.example; "
            + "* has the pages of all origins read, and change nothing.")
    static let compression = Setting(
        "http.compression", default: true, "Whether texts of 1 KB and more are sent as gzip to clients that take it.")
    static let publicDirectory = Setting(
        "http.public_directory", default: "", "Folder of the web page; empty finds Public beside the program.")

    // MARK: security

    static let keys = Setting(
        "security.keys", default: "",
        "File of the keys that `menagerie keys` makes; empty takes those in the PostgreSQL database where the history is in "
            + "one, otherwise keys.json in the data directory.")
    static let debuggable = Setting(
        "security.debuggable", default: false,
        "Whether debuggers, core dumps and other programs of the same user may look into the service's memory.")
    static let createKey = Setting(
        "security.create_key", default: false,
        "Whether a first key is made at the start and printed, once, where there are none.")
    static let open = Setting(
        "security.open", default: false,
        "Whether the service may listen beyond this machine without keys: then everybody may do everything.")
    static let sessionLifetime = Setting(
        "security.session_s", default: 604_800, in: 60...31_536_000,
        "Seconds for which the web page stays signed in.")
    static let requestsPerMinute = Setting(
        "security.requests_per_minute", default: 6000, in: 0...1_000_000_000,
        "Requests that one key, or one address without a key, may make in a minute, more is a 429; 0: any number. Without "
            + "keys and on this machine only, the default does not hold.")
    static let wrongKeysPerMinute = Setting(
        "security.wrong_keys_per_minute", default: 10, in: 0...1_000_000_000,
        "Wrong keys that may come from one address in a minute, more is a 429; 0: any number.")

    // MARK: websocket

    static let webSocketMessageBytes = Setting(
        "websocket.max_message_bytes", default: 16_777_216, in: 125...2_147_483_648,
        "Largest message of a client in bytes, unpacked; more closes with 1009.")
    static let webSocketCompressionBytes = Setting(
        "websocket.compression_bytes", default: 64, in: 0...1_073_741_824,
        "Smallest message to a client in bytes that is packed, where the client takes that.")
    static let webSocketPing = Setting(
        "websocket.ping_s", default: 20.0, in: 0.0...86400,
        "Seconds of silence after which a client is pinged; 0: never.")
    static let webSocketPongTimeout = Setting(
        "websocket.pong_timeout_s", default: 20.0, in: 0.01...3600,
        "Seconds that a pinged client has to give a sign of life before it is dropped.")
    static let webSocketCloseTimeout = Setting(
        "websocket.close_timeout_s", default: 5.0, in: 0.01...3600,
        "Seconds that a client has to answer a close before the connection is closed without it.")
}
