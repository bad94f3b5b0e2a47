// swift-tools-version: 6.2
import PackageDescription

// OpenVINO comes from a PyPI wheel that Scripts/setup unpacks here; it has no pkg-config file.
let openVINO = Context.packageDirectory + "/.deps/openvino"

// The headers that no pkg-config file brings: OpenVINO's, and GLib's for libvips (whose file lists flags that SwiftPM
// refuses with a warning). A folder of the other architecture is passed over.
let headerFlags = [
    "-I\(openVINO)/include", "-I/usr/include/glib-2.0",
    "-I/usr/lib/x86_64-linux-gnu/glib-2.0/include", "-I/usr/lib/aarch64-linux-gnu/glib-2.0/include",
]

// Pixel loops need vector multiplication: SSE4, which OpenVINO's CPU plugin asks for anyway. They are optimised in debug
// builds too, where they would be a hundred times slower and the tests, which decode thousands of photos, with them.
#if arch(x86_64)
    let pixelFlags = ["-Xcc", "-march=x86-64-v2", "-O"]
#else
    let pixelFlags = ["-O"]
#endif

let package = Package(
    name: "menagerie",
    products: [
        .executable(name: "menagerie", targets: ["Menagerie"])
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", exact: "1.7.3"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        // MARK: C

        .target(name: "CSystemCalls"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CMosquitto", pkgConfig: "libmosquitto", providers: [.apt(["libmosquitto-dev"])]),
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(
            name: "CFFmpeg",
            providers: [
                .apt([
                    "libavformat-dev", "libavcodec-dev", "libavutil-dev", "libswscale-dev", "libswresample-dev",
                ])
            ]),
        .systemLibrary(name: "CVipsLibrary", providers: [.apt(["libvips-dev"])]),
        .target(name: "CVips", dependencies: ["CVipsLibrary"], cSettings: [.unsafeFlags(headerFlags)]),
        .target(
            name: "COpenVINO",
            cSettings: [.unsafeFlags(headerFlags)],
            linkerSettings: [
                .linkedLibrary("openvino_c"),
                .unsafeFlags([
                    "-L\(openVINO)/libs",
                    "-Xlinker", "-rpath", "-Xlinker", "\(openVINO)/libs",
                    "-Xlinker", "-rpath", "-Xlinker", "$ORIGIN/../lib/menagerie",
                ]),
            ]),

        // MARK: Swift

        .target(
            name: "Base",
            dependencies: [
                "COpenSSL", "CSystemCalls", .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        // Messages as bytes and as values; no socket, no file.
        .target(
            name: "HTTPWire",
            dependencies: ["Base", "CZlib", .product(name: "Tracing", package: "swift-distributed-tracing")]),
        .target(
            name: "HTTP",
            dependencies: [
                "Base", "CSystemCalls", "COpenSSL", "CZlib", "HTTPWire",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        .target(
            name: "Telemetry",
            dependencies: [
                "Base", .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        // Optimised in debug builds too: a tensor in JSON is millions of numbers.
        .target(name: "JSONStream", dependencies: ["Base"], swiftSettings: [.unsafeFlags(pixelFlags)]),
        .target(name: "Archives", dependencies: ["CZlib"]),
        .target(
            name: "Imaging", dependencies: ["Base", "CTurboJPEG", "CVips"],
            swiftSettings: [.unsafeFlags(pixelFlags)]),
        // What was seen, in words that recognition, history and the interface share.
        .target(name: "Scans", dependencies: ["Base"]),
        // No engine: model files are read and translated, and fuzzed without one.
        .target(name: "ModelImport"),
        // Networks run in batches on a bounded number of lanes; what their outputs mean is not known here.
        .target(
            name: "Inference",
            dependencies: [
                "Base", "Imaging", "ModelImport", "COpenVINO", "CSystemCalls",
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        // What the outputs of networks mean: heads, thresholds, boxes.
        .target(name: "Heads", dependencies: ["Scans", "Base", "Imaging", "Inference", "Learning"]),
        // Folders of models: found, checked, downloaded, loaded once, swapped while they answer.
        .target(
            name: "Models",
            dependencies: [
                "Scans", "Base", "Heads", "Imaging", "Inference", "ModelImport", "COpenVINO", "CSystemCalls",
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        .target(
            name: "Recognition",
            dependencies: [
                "Scans", "Base", "Heads", "Imaging", "Inference", "ModelImport", "Models",
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        // What other programs ask for and are told: each connection a small plug over the same recognition.
        .target(
            name: "Connections",
            dependencies: [
                "Base",
                "CMosquitto",
                "CSystemCalls",
                "Encyclopaedia",
                "History",
                "Imaging",
                "JSONStream",
                "Live",
                "Recognition",
                "Scans",
                "Telemetry",
                "Tracking",
                "Training",
                "Video",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(name: "Evaluation", dependencies: ["Scans", "Base", "Recognition"]),
        .target(name: "Tracking"),
        .target(name: "Live", dependencies: ["Scans", "Base", "Imaging", "Recognition", "Tracking"]),
        // Optimised in debug builds too: fitting is nothing but loops over numbers.
        .target(name: "Learning", swiftSettings: [.unsafeFlags(pixelFlags)]),
        .target(
            name: "Training",
            dependencies: [
                "Scans", "Archives", "Base", "Evaluation", "History", "Imaging", "Learning", "Recognition",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "Video",
            dependencies: ["Scans", "Base", "CFFmpeg", "CSystemCalls", "Imaging", "Live", "Recognition", "Tracking"],
            swiftSettings: [.unsafeFlags(pixelFlags)]),
        .target(
            name: "Encyclopaedia", dependencies: ["Scans"], resources: [.copy("Articles"), .copy("Names")]),
        .target(
            name: "History",
            dependencies: [
                "Scans",
                "Base", "CPostgreSQL", "CSystemCalls", "JSONStream",
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "API",
            dependencies: [
                "Scans",
                "Archives", "Base", "Connections", "COpenSSL", "HTTP", "HTTPWire", "JSONStream", "Telemetry", "Imaging",
                "Live",
                "Recognition",
                "Encyclopaedia", "History", "Tracking", "Training", "Video",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            resources: [.copy("Resources/openapi.json")]),
        .executableTarget(
            name: "Menagerie",
            dependencies: [
                "Scans",
                "API", "Base", "Connections", "CQREncode", "CSystemCalls", "Evaluation", "HTTP", "HTTPWire", "Live",
                "Telemetry", "Training",
                "Video",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]),

        // MARK: Benchmarks

        // Benchmarks/HTTP/run compares it with Hummingbird; here, because HTTP is for this package only.
        .executableTarget(
            name: "HTTPBenchmarkServer",
            dependencies: ["HTTP", "HTTPWire", .product(name: "Logging", package: "swift-log")],
            path: "Benchmarks/HTTP/Server"),
        // The service's own bound for Benchmarks/Classify/run.
        .executableTarget(
            name: "ClassifyBound", dependencies: ["Base", "Imaging", "Recognition"], path: "Benchmarks/Classify/Bound"),
        // The same for Benchmarks/Live/run.
        .executableTarget(
            name: "LiveBound", dependencies: ["Base", "Imaging", "Recognition"], path: "Benchmarks/Live/Bound"),
        .executableTarget(
            name: "HistoryBenchmark", dependencies: ["Scans", "Base", "Encyclopaedia", "History"],
            path: "Benchmarks/History",
            exclude: ["RESULTS.md", "classify"]),
        // Echoes messages for the Autobahn suite, see Benchmarks/WebSocket/autobahn.
        .executableTarget(
            name: "WebSocketEcho", dependencies: ["HTTP", "HTTPWire", .product(name: "Logging", package: "swift-log")],
            path: "Benchmarks/WebSocket", exclude: ["autobahn", "table.py", "results.md"]),

        // MARK: Tests

        .target(name: "TestSupport", dependencies: ["CZlib"], path: "Tests/TestSupport"),
        // Models and engines for the tests of Inference, Heads, Models and Recognition.
        .target(
            name: "ModelTestSupport", dependencies: ["Base", "Inference", "Models", "TestSupport"],
            path: "Tests/ModelTestSupport"),
        .testTarget(name: "BaseTests", dependencies: ["Base"]),
        .testTarget(
            name: "HTTPTests",
            dependencies: [
                "Base", "HTTP", "HTTPWire", "TestSupport", "WebSocketEcho",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "TelemetryTests",
            dependencies: [
                "Base", "Telemetry", .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        .testTarget(name: "JSONStreamTests", dependencies: ["JSONStream"]),
        .testTarget(name: "ArchivesTests", dependencies: ["Archives"]),
        .testTarget(name: "ImagingTests", dependencies: ["Base", "CTurboJPEG", "Imaging"]),
        .testTarget(
            name: "VideoTests",
            dependencies: ["Scans", "Base", "Encyclopaedia", "Imaging", "Live", "Menagerie", "TestSupport", "Video"]),
        .testTarget(name: "ModelImportTests", dependencies: ["ModelImport", "TestSupport"]),
        .testTarget(
            name: "InferenceTests", dependencies: ["Scans", "Base", "Inference", "ModelTestSupport", "TestSupport"]),
        .testTarget(name: "HeadsTests", dependencies: ["Scans", "Heads", "Imaging", "Inference", "ModelTestSupport"]),
        .testTarget(
            name: "ModelsTests",
            dependencies: [
                "Scans", "Base", "Heads", "Imaging", "Inference", "ModelImport", "Models", "ModelTestSupport",
                "TestSupport",
            ]),
        .testTarget(
            name: "RecognitionTests",
            dependencies: [
                "Scans", "Base", "Heads", "Imaging", "Inference", "Models", "ModelTestSupport", "Recognition",
                "TestSupport",
            ]),
        .testTarget(
            name: "ConnectionsTests",
            dependencies: [
                "Base",
                "Connections",
                "Encyclopaedia",
                "Imaging",
                "Recognition",
                "Scans",
                "Telemetry",
                "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(name: "EvaluationTests", dependencies: ["Scans", "Base", "Evaluation", "Recognition"]),
        .testTarget(
            name: "TrackingTests", dependencies: ["TestSupport", "Tracking"], resources: [.copy("Fixtures")]),
        .testTarget(
            name: "LiveTests",
            dependencies: ["Scans", "Base", "Imaging", "Live", "Recognition", "TestSupport", "Tracking"]),
        .testTarget(name: "LearningTests", dependencies: ["Learning"], resources: [.copy("Fixtures")]),
        .testTarget(name: "EncyclopaediaTests", dependencies: ["Scans", "Encyclopaedia"]),
        .executableTarget(
            name: "HistoryCrashWriter", dependencies: ["Scans", "Base", "History"], path: "Tests/HistoryCrashWriter"),
        .testTarget(
            name: "HistoryTests",
            dependencies: [
                "Scans",
                "Base", "History", "HistoryCrashWriter", "TestSupport", .product(name: "GRDB", package: "GRDB.swift"),
            ]),
        .testTarget(
            name: "APITests",
            dependencies: [
                "Scans",
                "API", "Base", "Encyclopaedia", "HTTP", "HTTPWire", "History", "Recognition", "Telemetry",
                "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "MenagerieTests",
            dependencies: [
                "Scans",
                "API", "Base", "HTTP", "HTTPWire", "History", "Menagerie", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "Scans",
                "API", "Archives", "Base", "Connections", "Encyclopaedia", "HTTP", "HTTPWire", "History", "Imaging",
                "Menagerie",
                "ModelImport", "Recognition",
                "TestSupport", "Tracking", "Training", "Video",
                .product(name: "Logging", package: "swift-log"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type == .regular || target.type == .executable || target.type == .test {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            // Where everything is checked, a warning is an error.
            .unsafeFlags(Context.environment["CI"] == "true" ? ["-warnings-as-errors"] : []),
            .unsafeFlags(headerFlags.flatMap { ["-Xcc", $0] }),
            // What debuggers read takes a quarter of a release build's time, and nobody debugs one.
            .unsafeFlags(["-gnone"], .when(configuration: .release)),
        ]
}

// A build for some tests alone, such as those that run under a sanitizer: TEST_TARGETS="BaseTests HTTPTests".
if let tests = Context.environment["TEST_TARGETS"], !tests.isEmpty {
    var needed: Set<String> = []
    var found = tests.split(separator: " ").map(String.init)
    while let name = found.popLast() {
        guard needed.insert(name).inserted, let target = package.targets.first(where: { $0.name == name }) else {
            continue
        }
        for case .byNameItem(let dependency, _) in target.dependencies { found.append(dependency) }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    if !needed.contains("Menagerie") { package.products = [] }
}
