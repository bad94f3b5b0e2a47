import HTTP

/// The keys of the server.
extension Settings {
    // MARK: http

    static let host = Setting(
        "http.host", default: "127.0.0.1", "Address to listen on. 0.0.0.0 or :: means every interface.")
    static let port = Setting("http.port", default: 8080, in: 0...65535, "TCP port. 0 takes a free one and logs it.")
    static let unixSocket = Setting(
        "http.unix_socket", default: "", "Path of a Unix domain socket to listen on instead of host and port.")
    static let eventLoop = Setting(
        "http.event_loop", default: "epoll", in: EventLoopKind.allCases.map(\.rawValue),
        "Event loop. epoll is the faster one. dispatch uses Dispatch's threads.")
    static let loops = Setting(
        "http.loops", default: 0, in: 0...64, "Number of event loops. 0 takes one for every two processor cores.")
    static let backlog = Setting(
        "http.backlog", default: 1024, in: 1...65535,
        "Largest number of connections that the kernel holds before they are accepted.")
    static let maxConnections = Setting(
        "http.max_connections", default: 20_000, in: 1...1_000_000,
        "Largest number of open connections. A further one gets a 503 and is closed.")
    static let maxBodyBytes = Setting(
        "http.max_body_bytes", default: 33_554_432, in: 1024...2_147_483_648,
        "Largest request body in bytes. A larger one is a 413.")
    static let bodyMemory = Setting(
        "http.body_memory_bytes", default: 536_870_912, in: 1_048_576...1_099_511_627_776,
        "Bytes of memory for the bodies of all requests. One client may use half. More is a 503. One body of "
            + "the largest size always fits.")
    static let maxHeaderBytes = Setting(
        "http.max_header_bytes", default: 32_768, in: 1024...1_048_576,
        "Largest total size of the header fields in bytes. More is a 431.")
    static let maxHeaderLineBytes = Setting(
        "http.max_header_line_bytes", default: 8192, in: 64...1_048_576,
        "Largest header field in bytes. A larger one is a 431.")
    static let maxHeaderFields = Setting(
        "http.max_header_fields", default: 100, in: 8...1000, "Largest number of header fields. More is a 431.")
    static let maxTargetBytes = Setting(
        "http.max_target_bytes", default: 8192, in: 256...65536, "Largest request line in bytes. A larger one is a 414."
    )
    static let maxMethodBytes = Setting(
        "http.max_method_bytes", default: 32, in: 7...1024, "Longest name of a method in bytes. A longer one is a 501.")
    static let maxChunkExtensionBytes = Setting(
        "http.max_chunk_extension_bytes", default: 4096, in: 0...1_048_576,
        "Largest total size of a body's chunk extensions in bytes. More is a 400.")
    static let maxTrailerBytes = Setting(
        "http.max_trailer_bytes", default: 8192, in: 0...1_048_576,
        "Largest total size of a body's trailer fields in bytes. More is a 431.")
    static let maxEmptyLines = Setting(
        "http.max_empty_lines", default: 8, in: 0...1000,
        "Largest number of empty lines before a request. More is a 400.")
    static let maxPipelined = Setting(
        "http.max_pipelined_per_turn", default: 128, in: 1...100_000,
        "Pipelined requests of one connection that are answered before other connections have their turn.")
    static let maxRequestsPerConnection = Setting(
        "http.max_requests_per_connection", default: 0, in: 0...1_000_000_000,
        "Number of requests after which a connection closes. 0 means no limit.")
    static let headerTimeout = Setting(
        "http.header_timeout_s", default: 10.0, in: 0.1...3600,
        "Seconds from a request's first byte to the end of its header.")
    static let bodyTimeout = Setting(
        "http.body_timeout_s", default: 30.0, in: 0.1...3600,
        "Seconds without a new byte after which a request body times out.")
    static let idleTimeout = Setting(
        "http.idle_timeout_s", default: 60.0, in: 0.1...86400,
        "Seconds without a request after which a connection closes.")
    static let writeTimeout = Setting(
        "http.write_timeout_s", default: 30.0, in: 0.1...3600,
        "Seconds without a byte taken after which an answer times out.")
    static let lingerTimeout = Setting(
        "http.linger_timeout_s", default: 2.0, in: 0.01...60,
        "Seconds that a client has for closing after the last answer. Then the service closes the connection.")
    static let minimumRate = Setting(
        "http.minimum_rate_bytes_s", default: 1024, in: 1...1_000_000_000,
        "Least rate in bytes per second for a body to arrive and an answer to be taken, once its timeout is "
            + "used up.")
    static let halfClosedProbe = Setting(
        "http.half_closed_probe_ms", default: 250, in: 0...60_000,
        "Milliseconds after which a waiting client that has ended its side gets a 102, which shows whether it "
            + "is still there. 0 means never.")
    static let trustedProxies = Setting(
        "http.trusted_proxies", default: "",
        "Trusted proxies, whose Forwarded or X-Forwarded-For counts: networks such as 10.0.0.0/8, separated "
            + "by commas. unix means a Unix domain socket.")
    static let drainDelay = Setting(
        "http.drain_delay_s", default: 0.0, in: 0.0...600,
        "Seconds for which the service continues after it was told to stop, while /readyz answers 503, so "
            + "that balancers notice.")
    static let drainTimeout = Setting(
        "http.drain_timeout_s", default: 10.0, in: 0.0...3600,
        "Seconds that running requests get to finish after SIGTERM.")
    static let tlsCertificate = Setting(
        "http.tls_certificate", default: "",
        "PEM file with the certificate chain. With it the service uses HTTPS. Read again on SIGHUP.")
    static let tlsKey = Setting("http.tls_key", default: "", "PEM file with the private key of the certificate.")
    static let tlsMinimumVersion = Setting(
        "http.tls_minimum_version", default: "1.2", in: ["1.2", "1.3"], "Lowest accepted version of TLS.")
    static let tlsHandshakeTimeout = Setting(
        "http.tls_handshake_timeout_s", default: 10.0, in: 0.01...3600, "Longest time for a TLS handshake in seconds.")
    static let hstsMaxAge = Setting(
        "http.hsts_max_age_s", default: 63_072_000, in: 0...1_000_000_000,
        "Seconds for which browsers must use HTTPS (Strict-Transport-Security). 0 sends no such field.")
    static let allowedHosts = Setting(
        "http.allowed_hosts", default: "",
        "Host names for the service besides addresses, localhost and the machine's name, separated by commas: "
            + "zoo.example, *.zoo.example. * means any. Another name is a 421.")
    static let corsOrigins = Setting(
        "http.cors_origins", default: "",
        "Origins whose pages may use the service like its own page, separated by commas, such as "
            + "https://zoo.example. * lets the pages of all origins read, but change nothing.")
    static let compression = Setting(
        "http.compression", default: true, "Whether texts of 1 KB and more are sent as gzip to clients that accept it.")
    static let publicDirectory = Setting(
        "http.public_directory", default: "", "Folder of the web page. If empty, it is Public beside the program.")

    // MARK: security

    static let keys = Setting(
        "security.keys", default: "",
        "File of the keys that `menagerie keys` makes. If empty, the keys are in the PostgreSQL database of "
            + "the history, otherwise in keys.json in the data directory.")
    static let debuggable = Setting(
        "security.debuggable", default: false,
        "Whether debuggers, core dumps and other programs of the same user may read the service's memory.")
    static let createKey = Setting(
        "security.create_key", default: false,
        "Whether the first start without keys makes one and prints it, once.")
    static let open = Setting(
        "security.open", default: false,
        "Whether the service may listen beyond this machine without keys. Everybody then has full access.")
    static let sessionLifetime = Setting(
        "security.session_s", default: 604_800, in: 60...31_536_000,
        "Seconds for which the web page stays signed in.")
    static let requestsPerMinute = Setting(
        "security.requests_per_minute", default: 6000, in: 0...1_000_000_000,
        "Largest number of requests per minute for one key, or for one address without a key. More is a 429. "
            + "0 means no limit. The default does not apply to a service without keys on this machine only.")
    static let wrongKeysPerMinute = Setting(
        "security.wrong_keys_per_minute", default: 10, in: 0...1_000_000_000,
        "Largest number of wrong keys per minute from one address. More is a 429. 0 means no limit.")

    // MARK: websocket

    static let webSocketMessageBytes = Setting(
        "websocket.max_message_bytes", default: 16_777_216, in: 125...2_147_483_648,
        "Largest message of a client in bytes, decompressed. A larger one closes with 1009.")
    static let webSocketCompressionBytes = Setting(
        "websocket.compression_bytes", default: 64, in: 0...1_073_741_824,
        "Smallest message in bytes that is sent compressed to a client that accepts it.")
    static let webSocketPing = Setting(
        "websocket.ping_s", default: 20.0, in: 0.0...86400,
        "Seconds of silence after which a client gets a ping. 0 means never.")
    static let webSocketPongTimeout = Setting(
        "websocket.pong_timeout_s", default: 20.0, in: 0.01...3600,
        "Seconds without an answer to a ping after which a client is dropped.")
    static let webSocketCloseTimeout = Setting(
        "websocket.close_timeout_s", default: 5.0, in: 0.01...3600,
        "Seconds that a client has for answering a close. Then the service closes the connection.")
}
