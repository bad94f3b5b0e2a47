import HTTP

/// Every key of the configuration. Adding one here is all it takes: file, environment, `--help` and checks follow.
extension Settings {
    // MARK: http

    static let host = Setting(
        "http.host", default: "127.0.0.1", "Address to listen on; 0.0.0.0 or :: for every interface.")
    static let port = Setting("http.port", default: 8080, in: 0...65535, "TCP port; 0 takes a free one and logs it.")
    static let unixSocket = Setting(
        "http.unix_socket", default: "", "Path of a Unix domain socket to listen on instead of host and port.")
    static let eventLoop = Setting(
        "http.event_loop", default: "epoll", in: EventLoopKind.allCases.map(\.rawValue),
        "What connections are waited for with: epoll is the faster on Linux, dispatch the one for other systems.")
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
        "File of the keys that `menagerie keys` makes; empty takes keys.json in the data directory, where there is one."
    )
    static let createKey = Setting(
        "security.create_key", default: false,
        "Whether a first key is made at the start and printed, once, where the file of keys is missing.")
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

    // MARK: recognition

    static let modelsDirectory = Setting(
        "recognition.models_directory", default: "",
        "Folder with one folder for each model; empty finds Models beside the program.")
    static let defaultModel = Setting(
        "recognition.default_model", default: "menagerie", "Model that answers when a request names none.")
    static let modelMemory = Setting(
        "recognition.model_memory_mb", default: 0, in: 0...1_048_576,
        "MiB that all loaded models may hold; the least recently used make room. 0: no bound.")
    static let modelIdleTimeout = Setting(
        "recognition.model_idle_timeout_s", default: 0.0, in: 0.0...2_592_000,
        "Seconds without a request after which a model other than the default one is unloaded; 0: never.")
    static let inferenceThreads = Setting(
        "recognition.inference_threads", default: 0, in: 0...256, "Threads of the engine; 0 takes one for each core.")
    static let maxBatchSize = Setting(
        "recognition.max_batch_size", default: 16, in: 1...256, "Photos in one batch.")
    static let maxQueueDelay = Setting(
        "recognition.max_queue_delay_ms", default: 0.0, in: 0.0...1000,
        "Milliseconds that a batch may wait to grow; 0 starts as soon as the engine is free.")
    static let maxQueueSize = Setting(
        "recognition.max_queue_size", default: 64, in: 1...10_000,
        "Photos decoded or waiting for the engine; one more is a 503 unless its model has less than an eighth of them."
    )
    static let decodeThreads = Setting(
        "recognition.decode_threads", default: 0, in: 0...256, "Threads that decode photos; 0 takes one for each core.")
    static let maxPixels = Setting(
        "recognition.max_pixels", default: 100_000_000, in: 1_000_000...1_000_000_000,
        "Width times height of the largest photo; more is a 422.")
    static let requestTimeout = Setting(
        "recognition.request_timeout_s", default: 30.0, in: 0.1...600,
        "Seconds after which a photo that is still waiting is given up with 504.")

    // MARK: detection

    static let detectionModel = Setting(
        "detection.model", default: "",
        "Model that finds boxes when a request names none; empty: menagerie_boxes, or the only one in the folder.")

    // MARK: live

    static let liveSessions = Setting(
        "live.max_sessions", default: 16, in: 0...10_000,
        "Cameras that may be connected at a time; one more is a 503.")
    static let liveFrameBytes = Setting(
        "live.max_frame_bytes", default: 8_388_608, in: 1024...268_435_456,
        "Largest frame of a camera in bytes; more closes its stream with 1009.")
    static let liveIdleTimeout = Setting(
        "live.idle_timeout_s", default: 300.0, in: 1.0...86400,
        "Seconds without a frame or a message after which a camera's stream is closed.")

    // MARK: history

    static let dataDirectory = Setting(
        "history.data_directory", default: "",
        "Folder of database, photos and compiled models; empty: menagerie in $XDG_DATA_HOME or in ~/.local/share.")
    static let historyBackend = Setting(
        "history.backend", default: "sqlite", in: ["sqlite", "postgresql"],
        "Where scans are kept: a file in the data directory, or a server that several replicas share.")
    static let postgreSQLURL = Setting(
        "history.postgresql_url", default: "",
        "Address of that server, such as postgresql://user@host/database; the photos stay in the data directory.")
    static let saveByDefault = Setting(
        "history.save_by_default", default: true, "Whether a scan is saved when the request does not say.")
    static let keepMetadata = Setting(
        "history.keep_metadata", default: false,
        "Whether saved photos keep place (GPS), time and camera when the request does not say.")
    static let keepDays = Setting(
        "history.keep_days", default: 0.0, in: 0.0...36_500, "Days after which a scan is removed; 0 keeps it for ever.")
    static let keepBytes = Setting(
        "history.keep_bytes", default: 0, in: 0...Int.max,
        "Bytes of photos beyond which the oldest scans are removed; 0 sets no limit.")
    static let undoGrace = Setting(
        "history.undo_grace_s", default: 600.0, in: 0.0...2_592_000, "Seconds for which a deletion can be undone.")

    static let maxImportBytes = Setting(
        "history.max_import_bytes", default: 0, in: 0...Int.max,
        "Largest file of an import in bytes, which lies in the data directory meanwhile; more is a 413. 0: any.")

    // MARK: training

    static let maxTrainingBytes = Setting(
        "training.max_upload_bytes", default: 2_147_483_648, in: 1024...Int.max,
        "Largest archive of photos in bytes, which lies in the data directory meanwhile; more is a 413.")
    static let maxTrainingPhotos = Setting(
        "training.max_photos", default: 20_000, in: 4...1_000_000, "Photos of one training; more is a 422.")
    static let maxTrainingClasses = Setting(
        "training.max_classes", default: 500, in: 2...10_000, "Classes of one training; more is a 422.")
    static let maxTrainingUnpacked = Setting(
        "training.max_unpacked_bytes", default: 8_589_934_592, in: 1024...Int.max,
        "Bytes of all photos of a training, unpacked; more is a 422.")
    static let maxTrainingsWaiting = Setting(
        "training.max_waiting", default: 16, in: 1...1000,
        "Trainings that wait while one runs; one more is a 503.")
    static let featureCache = Setting(
        "training.feature_cache_mb", default: 512, in: 0...1_048_576,
        "MiB of features in the data directory, by which a repeated training need not look at its photos again.")
    static let trainingFolderRoot = Setting(
        "training.folder_root", default: "",
        "Folder below which admins may name folders of photos on this machine; empty for none.")

    // MARK: video

    static let videoMaxBytes = Setting(
        "video.max_bytes", default: 2_147_483_648, in: 1024...Int.max, "Largest video in bytes; more is a 413.")
    static let videoKeepBytes = Setting(
        "video.keep_bytes", default: 10_737_418_240, in: 1024...Int.max,
        "Bytes of all videos and of what is made of them, beyond which the oldest finished ones are removed.")
    static let videoMaxDuration = Setting(
        "video.max_duration_s", default: 7200.0, in: 1.0...604_800, "Seconds of the longest video; more is a 422.")
    static let videoMaxPixels = Setting(
        "video.max_pixels", default: 33_177_600, in: 10_000...1_000_000_000,
        "Width times height of a video's pictures; more is a 422.")
    static let videoConcurrency = Setting(
        "video.concurrency", default: 1, in: 1...64, "Videos that are worked on at a time.")
    static let videoMaxWaiting = Setting(
        "video.max_waiting", default: 16, in: 0...10_000, "Videos that may wait; one more is a 503.")
    static let videoWorkerMemory = Setting(
        "video.worker_memory_mb", default: 2048, in: 16...1_048_576,
        "MiB that the process that decodes a video may take beyond the program itself.")
    static let videoWorkerTime = Setting(
        "video.worker_cpu_s", default: 7200, in: 1...1_000_000, "Seconds of processor time that it may take.")
    static let videoPatience = Setting(
        "video.worker_patience_s", default: 30.0, in: 0.1...3600,
        "Seconds without a sign of life after which it is ended.")

    // MARK: encyclopaedia

    static let breedPhotosDirectory = Setting(
        "encyclopaedia.photos_directory", default: "",
        "Folder with one folder of photos for each article, such as siamese/1.jpg; empty for none.")
    static let ownScans = Setting(
        "encyclopaedia.own_scans", default: false, "Whether the user's own scans of a breed are among its photos.")
    static let allowDogCEO = Setting(
        "encyclopaedia.allow_dog_ceo", default: false,
        "Whether photos of dog breeds may be fetched from the internet, from dog.ceo; copies stay in the data directory."
    )
    static let dogCEOURL = Setting(
        "encyclopaedia.dog_ceo_url", default: "https://dog.ceo/api", "Address of dog.ceo or of a mirror of it.")
    static let dogCEOTimeout = Setting(
        "encyclopaedia.dog_ceo_timeout_s", default: 5.0, in: 0.1...120, "Seconds that dog.ceo may take to answer.")
    static let dogCEOCacheBytes = Setting(
        "encyclopaedia.dog_ceo_cache_bytes", default: 268_435_456, in: 0...1_099_511_627_776,
        "Bytes of copies from dog.ceo, beyond which the oldest are removed.")

    // MARK: log

    static let logLevel = Setting(
        "log.level", default: "info", in: ["trace", "debug", "info", "notice", "warning", "error", "critical"],
        "Least severe messages that are written.")
    static let logFormat = Setting(
        "log.format", default: "text", in: ["text", "json"], "How a log line is written to standard error.")
    static let logBuffer = Setting(
        "log.buffer_bytes", default: 4_194_304, in: 65_536...1_073_741_824,
        "Bytes of log lines that may wait for each event loop, and for the rest; more are dropped and counted.")
    static let accessLog = Setting("log.access", default: true, "Whether each request is logged.")
    static let logTraces = Setting(
        "log.trace_context", default: true,
        "Whether the trace and parent ids of a request's traceparent stand in its log line.")

    /// All keys, in the order of the file.
    static let all: [any AnySetting] = [
        host, port, unixSocket, eventLoop, loops, backlog, maxConnections, maxBodyBytes, maxHeaderBytes,
        maxHeaderLineBytes,
        maxHeaderFields, maxTargetBytes, maxMethodBytes, maxChunkExtensionBytes, maxTrailerBytes, maxEmptyLines,
        maxPipelined, maxRequestsPerConnection, headerTimeout, bodyTimeout, idleTimeout, writeTimeout, lingerTimeout,
        minimumRate, halfClosedProbe, drainTimeout, trustedProxies, tlsCertificate, tlsKey, tlsMinimumVersion,
        tlsHandshakeTimeout, hstsMaxAge, allowedHosts, corsOrigins, compression, publicDirectory,
        keys, createKey, open, sessionLifetime, requestsPerMinute, wrongKeysPerMinute,
        webSocketMessageBytes, webSocketCompressionBytes, webSocketPing, webSocketPongTimeout, webSocketCloseTimeout,
        modelsDirectory, defaultModel, modelMemory, modelIdleTimeout, inferenceThreads, maxBatchSize, maxQueueDelay,
        maxQueueSize, decodeThreads, maxPixels, requestTimeout, detectionModel, liveSessions, liveFrameBytes,
        liveIdleTimeout,
        dataDirectory, historyBackend, postgreSQLURL, saveByDefault, keepMetadata, keepDays, keepBytes,
        undoGrace, maxImportBytes,
        maxTrainingBytes, maxTrainingPhotos, maxTrainingClasses, maxTrainingUnpacked, maxTrainingsWaiting, featureCache,
        trainingFolderRoot,
        videoMaxBytes, videoKeepBytes, videoMaxDuration, videoMaxPixels, videoConcurrency, videoMaxWaiting,
        videoWorkerMemory, videoWorkerTime, videoPatience,
        breedPhotosDirectory, ownScans, allowDogCEO, dogCEOURL, dogCEOTimeout, dogCEOCacheBytes,
        logLevel, logFormat, logBuffer, accessLog, logTraces,
    ]
}
