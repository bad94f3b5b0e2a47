import Base
import HTTP

/// The keys of the configuration. A key that is declared and listed in `all` is read from file and environment,
/// checked, and documented.
extension Settings {
    /// The largest number of bytes. Sums of a few such numbers still fit in an `Int`.
    static let mostBytes = 1 << 60

    // MARK: recognition

    static let modelsDirectory = Setting(
        "recognition.models_directory", default: "",
        "Folder with one folder for each model. If empty, it is Models beside the program.")
    static let defaultModel = Setting(
        "recognition.default_model", default: "menagerie", "Model that answers when a request names none.")
    static let modelMemory = Setting(
        "recognition.model_memory_mb", default: 0, in: 0...1_048_576,
        "MiB of memory for all loaded models. The least recently used are unloaded. 0 means no limit.")
    static let modelIdleTimeout = Setting(
        "recognition.model_idle_timeout_s", default: 0.0, in: 0.0...2_592_000,
        "Seconds without a request after which a model other than the default one is unloaded. 0 means never.")
    static let trialMemory = Setting(
        "recognition.trial_memory_mb", default: 4096, in: 64...1_048_576,
        "MiB of memory for the trial of a model that did not come with the program. The trial runs in a "
            + "separate process.")
    static let trialTime = Setting(
        "recognition.trial_s", default: 120, in: 1...3600,
        "Seconds that such a trial may take. It loads the model and runs it once.")
    static let recognitionThreads = Setting(
        "recognition.threads", default: 0, in: 0...256,
        "Number of threads that decode and recognise, each one photo at a time. 0 takes one for each core.")
    static let maxQueueSize = Setting(
        "recognition.max_queue_size", default: 64, in: 1...10_000,
        "Largest number of photos that wait or are in work. One more is a 503, unless its model has less than "
            + "an eighth of them."
    )
    static let maxPixels = Setting(
        "recognition.max_pixels", default: 100_000_000, in: 1_000_000...1_000_000_000,
        "Width times height of the largest photo. A larger one is a 422.")
    static let requestTimeout = Setting(
        "recognition.request_timeout_s", default: 30.0, in: 0.1...600,
        "Seconds after which a photo that still waits gets a 504.")

    // MARK: detection

    static let detectionModel = Setting(
        "detection.model", default: "",
        "Detector for requests that name none. If empty, it is menagerie_boxes, or the only one in the "
            + "folder.")

    // MARK: connections

    static let deepStack = Setting(
        "connections.deepstack", default: false,
        "Whether /v1/vision answers like DeepStack and CodeProject.AI, for Blue Iris, Frigate and Home "
            + "Assistant.")
    static let photoPrism = Setting(
        "connections.photoprism", default: false, "Whether /api/v1/vision/labels labels photos for PhotoPrism.")

    // MARK: live

    static let liveSessions = Setting(
        "live.max_sessions", default: 16, in: 0...10_000,
        "Largest number of connected cameras. One more is a 503.")
    static let liveFrameBytes = Setting(
        "live.max_frame_bytes", default: 8_388_608, in: 1024...268_435_456,
        "Largest frame of a camera in bytes. A larger one closes its stream with 1009.")
    static let liveIdleTimeout = Setting(
        "live.idle_timeout_s", default: 300.0, in: 1.0...86400,
        "Seconds without a frame or a message after which a camera's stream is closed.")

    // MARK: history

    static let dataDirectory = Setting(
        "history.data_directory", default: "",
        "Folder of database, photos and compiled models. If empty, it is menagerie in $XDG_DATA_HOME or in "
            + "~/.local/share.")
    static let historyBackend = Setting(
        "history.backend", default: "sqlite", in: ["sqlite", "postgresql"],
        "Store for scans: a file in the data directory, or a server that several replicas share.")
    static let postgreSQLURL = Setting(
        "history.postgresql_url", default: "",
        "Address of that server, such as postgresql://user@host/database. It also stores the photos.")
    static let saveByDefault = Setting("history.save_by_default", default: true, "Whether a scan is saved by default.")
    static let keepMetadata = Setting(
        "history.keep_metadata", default: false,
        "Whether saved photos, also imported ones, keep location (GPS), time and camera by default.")
    static let keepDays = Setting(
        "history.keep_days", default: 0.0, in: 0.0...36_500, "Days after which a scan is removed. 0 keeps it forever.")
    static let keepBytes = Setting(
        "history.keep_bytes", default: 0, in: 0...mostBytes,
        "Bytes of photos beyond which the oldest scans with photos are removed. 0 means no limit.")
    static let undoGrace = Setting(
        "history.undo_grace_s", default: 600.0, in: 0.0...2_592_000, "Seconds for which a deletion can be undone.")

    static let maxImportBytes = Setting(
        "history.max_import_bytes", default: 0, in: 0...mostBytes,
        "Largest file of an import in bytes. It is stored in the data directory meanwhile. A larger one is a "
            + "413. 0 means no limit.")

    // MARK: training

    static let maxTrainingBytes = Setting(
        "training.max_upload_bytes", default: 2_147_483_648, in: 1024...mostBytes,
        "Largest archive of photos in bytes. It is stored in the data directory meanwhile. A larger one is a "
            + "413.")
    static let maxTrainingPhotos = Setting(
        "training.max_photos", default: 20_000, in: 4...1_000_000,
        "Largest number of photos in a training. More is a 422.")
    static let maxTrainingClasses = Setting(
        "training.max_classes", default: 500, in: 2...10_000, "Largest number of classes in a training. More is a 422.")
    static let maxTrainingUnpacked = Setting(
        "training.max_unpacked_bytes", default: 8_589_934_592, in: 1024...mostBytes,
        "Largest total size of a training's photos in bytes, unpacked. More is a 422.")
    static let maxTrainingsWaiting = Setting(
        "training.max_waiting", default: 16, in: 1...1000,
        "Largest number of waiting trainings while one runs. One more is a 503.")
    static let featureCache = Setting(
        "training.feature_cache_mb", default: 512, in: 0...1_048_576,
        "MiB of stored features in the data directory. With them a repeated training need not process its "
            + "photos again.")
    static let trainingFolderRoot = Setting(
        "training.folder_root", default: "",
        "Folder below which admins may name folders of photos on this machine. If empty, they may name none.")

    // MARK: video

    static let videoMaxBytes = Setting(
        "video.max_bytes", default: 2_147_483_648, in: 1024...mostBytes,
        "Largest video in bytes. A larger one is a 413.")
    static let videoKeepBytes = Setting(
        "video.keep_bytes", default: 10_737_418_240, in: 1024...mostBytes,
        "Bytes of all videos and their results, beyond which the oldest finished ones are removed.")
    static let videoMaxDuration = Setting(
        "video.max_duration_s", default: 7200.0, in: 1.0...604_800, "Longest video in seconds. A longer one is a 422.")
    static let videoMaxPixels = Setting(
        "video.max_pixels", default: 33_177_600, in: 10_000...1_000_000_000,
        "Width times height of a video's largest picture. A larger one is a 422.")
    static let videoConcurrency = Setting(
        "video.concurrency", default: 1, in: 1...64, "Number of videos that are processed at a time.")
    static let videoMaxWaiting = Setting(
        "video.max_waiting", default: 16, in: 0...10_000, "Largest number of waiting videos. One more is a 503.")
    static let videoWorkerMemory = Setting(
        "video.worker_memory_mb", default: 2048, in: 16...1_048_576,
        "MiB of memory for the process that decodes a video, in addition to the program itself.")
    static let videoWorkerTime = Setting(
        "video.worker_cpu_s", default: 7200, in: 1...1_000_000,
        "Seconds of processor time for the process that decodes a video.")
    static let videoPatience = Setting(
        "video.worker_patience_s", default: 30.0, in: 0.1...3600,
        "Seconds without progress after which that process is ended.")
    static let videoSandbox = Setting(
        "video.sandbox", default: "best", in: Sandbox.Demand.allCases.map(\.rawValue),
        "Sandbox of that process. If the kernel refuses a part of it, required does not start, and best warns "
            + "and continues."
    )

    // MARK: encyclopaedia

    static let breedPhotosDirectory = Setting(
        "encyclopaedia.photos_directory", default: "",
        "Folder with one folder of photos for each article, such as siamese/1.jpg. If empty, there are none.")
    static let ownScans = Setting(
        "encyclopaedia.own_scans", default: false, "Whether the user's own scans of a breed are among its photos.")
    static let allowDogCEO = Setting(
        "encyclopaedia.allow_dog_ceo", default: false,
        "Whether photos of dog breeds may be fetched from dog.ceo on the internet. Copies stay in the data "
            + "directory."
    )
    static let dogCEOURL = Setting(
        "encyclopaedia.dog_ceo_url", default: "https://dog.ceo/api", "Address of dog.ceo or of a mirror of it.")
    static let dogCEOTimeout = Setting(
        "encyclopaedia.dog_ceo_timeout_s", default: 5.0, in: 0.1...120,
        "Seconds after which a request to dog.ceo times out.")
    static let dogCEOCacheBytes = Setting(
        "encyclopaedia.dog_ceo_cache_bytes", default: 268_435_456, in: 0...1_099_511_627_776,
        "Bytes of copies from dog.ceo beyond which the oldest are removed.")

    // MARK: log

    static let logLevel = Setting(
        "log.level", default: "info", in: ["trace", "debug", "info", "notice", "warning", "error", "critical"],
        "Least severe level of log messages.")
    static let logFormat = Setting(
        "log.format", default: "text", in: ["text", "json"], "Format of the log lines on standard error.")
    static let logBuffer = Setting(
        "log.buffer_bytes", default: 4_194_304, in: 65_536...1_073_741_824,
        "Bytes of waiting log lines for each event loop, and for the rest. Further lines are dropped and "
            + "counted.")
    static let accessLog = Setting("log.access", default: true, "Whether each request is logged.")
    static let logTraces = Setting(
        "log.trace_context", default: true,
        "Whether a request's log line contains the trace and parent ids of its traceparent.")

    // MARK: tracing

    static let traceEndpoint = Setting(
        "tracing.otlp_endpoint", default: "",
        "Address for spans by OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces. If empty, nothing is "
            + "traced.")
    static let traceShare = Setting(
        "tracing.sample_ratio", default: 1.0, in: 0.0...1.0,
        "Share of requests that are traced. The traceparent of a request takes precedence.")
    static let traceServiceName = Setting(
        "tracing.service_name", default: "menagerie", "Name of the service in its traces.")

    /// All keys, in the order of the file.
    static let all: [any AnySetting] = mainKeys + connectionKeys

    private static let mainKeys: [any AnySetting] = [
        host, port, unixSocket, eventLoop, loops, backlog, maxConnections, maxBodyBytes, bodyMemory,
        maxHeaderBytes, maxHeaderLineBytes, maxHeaderFields, maxTargetBytes, maxMethodBytes,
        maxChunkExtensionBytes, maxTrailerBytes, maxEmptyLines, maxPipelined, maxRequestsPerConnection,
        headerTimeout, bodyTimeout, idleTimeout, writeTimeout, lingerTimeout,
        minimumRate, halfClosedProbe, drainDelay, drainTimeout, trustedProxies, tlsCertificate, tlsKey,
        tlsMinimumVersion, tlsHandshakeTimeout, hstsMaxAge, allowedHosts, corsOrigins, compression, publicDirectory,
        keys, debuggable, createKey, open, sessionLifetime, requestsPerMinute, wrongKeysPerMinute,
        webSocketMessageBytes, webSocketCompressionBytes, webSocketPing, webSocketPongTimeout, webSocketCloseTimeout,
        modelsDirectory, defaultModel, modelMemory, modelIdleTimeout, trialMemory, trialTime,
        recognitionThreads, maxQueueSize, maxPixels, requestTimeout, detectionModel, deepStack, photoPrism,
        liveSessions, liveFrameBytes, liveIdleTimeout,
        dataDirectory, historyBackend, postgreSQLURL, saveByDefault, keepMetadata, keepDays, keepBytes,
        undoGrace, maxImportBytes,
        maxTrainingBytes, maxTrainingPhotos, maxTrainingClasses, maxTrainingUnpacked, maxTrainingsWaiting,
        featureCache, trainingFolderRoot,
        videoMaxBytes, videoKeepBytes, videoMaxDuration, videoMaxPixels, videoConcurrency, videoMaxWaiting,
        videoWorkerMemory, videoWorkerTime, videoPatience, videoSandbox,
        breedPhotosDirectory, ownScans, allowDogCEO, dogCEOURL, dogCEOTimeout, dogCEOCacheBytes,
        logLevel, logFormat, logBuffer, accessLog, logTraces,
        traceEndpoint, traceShare, traceServiceName,
    ]
}
