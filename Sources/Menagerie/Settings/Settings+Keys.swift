import Base
import HTTP

/// The keys of the configuration. A key that is declared and listed in `all` is read from file and environment,
/// checked, and documented.
extension Settings {
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
    static let trialMemory = Setting(
        "recognition.trial_memory_mb", default: 4096, in: 64...1_048_576,
        "MiB that a model that did not come with the program may take when it is first tried, in a process of its own.")
    static let trialTime = Setting(
        "recognition.trial_s", default: 120, in: 1...3600,
        "Seconds that such a model may take to be loaded and to run once.")
    static let recognitionThreads = Setting(
        "recognition.threads", default: 0, in: 0...256,
        "Threads that decode and recognise, each a photo at a time; 0 takes one for each core.")
    static let maxBatchSize = Setting(
        "recognition.max_batch_size", default: 16, in: 1...256, "Photos that a thread takes at once of those that wait."
    )
    static let maxQueueDelay = Setting(
        "recognition.max_queue_delay_ms", default: 0.0, in: 0.0...1000,
        "Milliseconds that a batch may wait to grow; 0 starts as soon as a thread is free.")
    static let maxQueueSize = Setting(
        "recognition.max_queue_size", default: 64, in: 1...10_000,
        "Photos inside, waiting or worked on; one more is a 503 unless its model has less than an eighth of them."
    )
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

    // MARK: connections

    static let deepStack = Setting(
        "connections.deepstack", default: false,
        "Whether /v1/vision answers as DeepStack and CodeProject.AI do, for Blue Iris, Frigate and Home Assistant.")
    static let photoPrism = Setting(
        "connections.photoprism", default: false, "Whether /api/v1/vision/labels labels photos for PhotoPrism.")

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
        "Address of that server, such as postgresql://user@host/database; it keeps the photos, too.")
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
    static let videoSandbox = Setting(
        "video.sandbox", default: "best", in: Sandbox.Demand.allCases.map(\.rawValue),
        "Where the kernel refuses part of the sandbox of that process: required does not start, best warns and goes on."
    )

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

    // MARK: tracing

    static let traceEndpoint = Setting(
        "tracing.otlp_endpoint", default: "",
        "Where spans are sent by OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces; empty: nothing is traced.")
    static let traceShare = Setting(
        "tracing.sample_ratio", default: 1.0, in: 0.0...1.0,
        "Share of requests that are traced; for those with a traceparent the caller has decided.")
    static let traceServiceName = Setting(
        "tracing.service_name", default: "menagerie", "Name of the service in its traces.")

    /// All keys, in the order of the file.
    static let all: [any AnySetting] = mainKeys + connectionKeys

    private static let mainKeys: [any AnySetting] = [
        host, port, unixSocket, eventLoop, loops, backlog, maxConnections, maxBodyBytes, bodyMemory,
        maxHeaderBytes,
        maxHeaderLineBytes,
        maxHeaderFields, maxTargetBytes, maxMethodBytes, maxChunkExtensionBytes, maxTrailerBytes, maxEmptyLines,
        maxPipelined, maxRequestsPerConnection, headerTimeout, bodyTimeout, idleTimeout, writeTimeout, lingerTimeout,
        minimumRate, halfClosedProbe, drainDelay, drainTimeout, trustedProxies, tlsCertificate, tlsKey,
        tlsMinimumVersion,
        tlsHandshakeTimeout, hstsMaxAge, allowedHosts, corsOrigins, compression, publicDirectory,
        keys, debuggable, createKey, open, sessionLifetime, requestsPerMinute, wrongKeysPerMinute,
        webSocketMessageBytes, webSocketCompressionBytes, webSocketPing, webSocketPongTimeout, webSocketCloseTimeout,
        modelsDirectory, defaultModel, modelMemory, modelIdleTimeout, trialMemory, trialTime,
        recognitionThreads, maxBatchSize, maxQueueDelay,
        maxQueueSize, maxPixels, requestTimeout, detectionModel, deepStack, photoPrism, liveSessions, liveFrameBytes,
        liveIdleTimeout,
        dataDirectory, historyBackend, postgreSQLURL, saveByDefault, keepMetadata, keepDays, keepBytes,
        undoGrace, maxImportBytes,
        maxTrainingBytes, maxTrainingPhotos, maxTrainingClasses, maxTrainingUnpacked, maxTrainingsWaiting, featureCache,
        trainingFolderRoot,
        videoMaxBytes, videoKeepBytes, videoMaxDuration, videoMaxPixels, videoConcurrency, videoMaxWaiting,
        videoWorkerMemory, videoWorkerTime, videoPatience, videoSandbox,
        breedPhotosDirectory, ownScans, allowDogCEO, dogCEOURL, dogCEOTimeout, dogCEOCacheBytes,
        logLevel, logFormat, logBuffer, accessLog, logTraces,
        traceEndpoint, traceShare, traceServiceName,
    ]
}
