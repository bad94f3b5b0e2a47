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
// The frontend's own flag also counts in builds with `-Xswiftc -Onone`.
#if arch(x86_64)
    let pixelFlags = ["-Xcc", "-march=x86-64-v2", "-Xfrontend", "-O"]
#else
    let pixelFlags = ["-Xfrontend", "-O"]
#endif

let package = Package(
    name: "menagerie",
    products: [
        .executable(name: "menagerie", targets: ["Menagerie"])
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    ],
    targets: [
        // MARK: C

        .target(name: "CSystemCalls"),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
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
                "CCurl", "COpenSSL", "CSystemCalls", "CZlib",
            ]),
        .target(
            name: "HTTP",
            dependencies: [
                "Base", "COpenSSL", "CSystemCalls",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "Telemetry",
            dependencies: [
                "Base",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
            ]),
        .target(
            name: "Imaging", dependencies: ["Base", "CTurboJPEG", "CVips"],
            swiftSettings: [.unsafeFlags(pixelFlags)]),
        // No engine: model files are read and translated, and fuzzed without one.
        .target(name: "ModelImport", dependencies: ["Base"]),
        // A photo in, an answer out: engine, lanes, repository of models, heads, boxes, and the one name of a region.
        .target(
            name: "Recognition",
            dependencies: [
                "Base", "COpenVINO", "CSystemCalls", "Imaging", "Learning", "ModelImport",
            ]),
        // What other programs ask for and are told: each connection a small plug over the same recognition.
        .target(
            name: "Connections",
            dependencies: [
                "Base", "CMosquitto", "CSystemCalls", "Encyclopaedia", "Imaging", "Recognition", "Storage", "Streams",
                "Telemetry", "Training", "Video",
                .product(name: "Logging", package: "swift-log"),
            ]),
        // Tracks, frames of a stream, and laps; no HTTP.
        .target(
            name: "Streams",
            dependencies: [
                "Base", "Imaging", "Recognition", "Storage", .product(name: "Logging", package: "swift-log"),
            ]),
        // Optimised in debug builds too: fitting is nothing but loops over numbers.
        .target(name: "Learning", dependencies: ["Base"], swiftSettings: [.unsafeFlags(pixelFlags)]),
        .target(
            name: "Training",
            dependencies: [
                "Base", "Imaging", "Learning", "Recognition", "Storage",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .target(
            name: "Video",
            dependencies: [
                "Base", "CFFmpeg", "CSystemCalls", "Encyclopaedia", "Imaging", "Recognition", "Storage",
                "Streams",
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: [.unsafeFlags(pixelFlags)]),
        .target(
            name: "Encyclopaedia", dependencies: ["Base"], resources: [.copy("Articles"), .copy("Names")]),
        .target(
            name: "Storage",
            dependencies: [
                "Base", "CPostgreSQL", "CSystemCalls", .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        // Keys, roles, sessions and rate limits: who may ask what.
        .target(name: "Security", dependencies: ["Base", "COpenSSL", "HTTP", "Storage"]),
        .target(
            name: "API",
            dependencies: [
                "Base", "Connections", "Encyclopaedia", "HTTP", "Imaging", "Recognition", "Security", "Storage",
                "Streams", "Telemetry", "Training", "Video",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
            ],
            resources: [.copy("Resources/openapi.json")]),
        .executableTarget(
            name: "Menagerie",
            dependencies: [
                "API", "Base", "Connections", "CQREncode", "CSystemCalls", "HTTP", "Security", "Streams", "Telemetry",
                "Training", "Video",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]),

        // MARK: Benchmarks

        // Benchmarks/HTTP/run compares it with Hummingbird; here, because HTTP is for this package only.
        .executableTarget(
            name: "HTTPBenchmarkServer",
            dependencies: ["HTTP", .product(name: "Logging", package: "swift-log")],
            path: "Benchmarks/HTTP/Server"),
        // The service's own bound for Benchmarks/Classify/run.
        .executableTarget(
            name: "ClassifyBound", dependencies: ["Base", "Imaging", "Recognition"], path: "Benchmarks/Classify/Bound"),
        // The same for Benchmarks/Live/run.
        .executableTarget(
            name: "LiveBound", dependencies: ["Base", "Imaging", "Recognition"], path: "Benchmarks/Live/Bound"),
        .executableTarget(
            name: "StorageBenchmark", dependencies: ["Base", "Encyclopaedia", "Storage"],
            path: "Benchmarks/Storage",
            exclude: ["RESULTS.md", "classify"]),
        // Echoes messages for the Autobahn suite, see Benchmarks/WebSocket/autobahn.
        .executableTarget(
            name: "WebSocketEcho", dependencies: ["HTTP", .product(name: "Logging", package: "swift-log")],
            path: "Benchmarks/WebSocket", exclude: ["autobahn", "table.py", "results.md"]),

        // MARK: Tests

        .target(name: "TestSupport", dependencies: ["CZlib"], path: "Tests/TestSupport"),
        .target(name: "TrackingMeasures", dependencies: ["Imaging", "Streams"], path: "Tests/TrackingMeasures"),
        .testTarget(name: "BaseTests", dependencies: ["Base", "TestSupport"]),
        .testTarget(
            name: "HTTPTests",
            dependencies: [
                "Base", "HTTP", "TestSupport", "WebSocketEcho",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "TelemetryTests",
            dependencies: [
                "Base", "Telemetry",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(name: "ImagingTests", dependencies: ["Base", "CTurboJPEG", "Imaging"]),
        .testTarget(
            name: "VideoTests",
            dependencies: ["Base", "Encyclopaedia", "Imaging", "Menagerie", "Streams", "TestSupport", "Video"]),
        .testTarget(name: "ModelImportTests", dependencies: ["Base", "ModelImport", "TestSupport"]),
        .testTarget(
            name: "RecognitionTests", dependencies: ["Base", "Imaging", "ModelImport", "Recognition", "TestSupport"]),
        .testTarget(
            name: "ConnectionsTests",
            dependencies: [
                "Base", "Connections", "Encyclopaedia", "Imaging", "Recognition", "Storage", "Telemetry", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "StreamsTests",
            dependencies: ["Base", "Imaging", "Recognition", "Storage", "Streams", "TestSupport", "TrackingMeasures"],
            resources: [.copy("Tracking/Fixtures")]),
        .testTarget(
            name: "TrainingTests", dependencies: ["Base", "Recognition", "Storage", "TestSupport", "Training"]),
        .testTarget(name: "LearningTests", dependencies: ["Learning"], resources: [.copy("Fixtures")]),
        .testTarget(name: "EncyclopaediaTests", dependencies: ["Base", "Encyclopaedia"]),
        .executableTarget(
            name: "StorageCrashWriter", dependencies: ["Base", "Storage"], path: "Tests/StorageCrashWriter"),
        .testTarget(
            name: "StorageTests",
            dependencies: [
                "Base", "Storage", "StorageCrashWriter", "TestSupport",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(name: "SecurityTests", dependencies: ["Base", "HTTP", "Security", "Storage", "TestSupport"]),
        .testTarget(
            name: "APITests",
            dependencies: [
                "API", "Base", "Encyclopaedia", "HTTP", "Recognition", "Security", "Storage", "Telemetry",
                "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "MenagerieTests",
            dependencies: [
                "API", "Base", "HTTP", "Menagerie", "Security", "Storage", "Streams", "Telemetry", "TestSupport",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "API", "Base", "Connections", "Encyclopaedia", "HTTP", "Imaging", "Menagerie", "ModelImport",
                "Recognition",
                "Security", "Storage", "TestSupport", "TrackingMeasures", "Training", "Video",
                .product(name: "Logging", package: "swift-log"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

let checked = Context.environment["CI"] == "true"
for target in package.targets where target.type == .regular || target.type == .executable || target.type == .test {
    target.swiftSettings =
        (target.swiftSettings ?? []) + [
            .enableUpcomingFeature("ExistentialAny"),
            .enableUpcomingFeature("InternalImportsByDefault"),
            .enableUpcomingFeature("MemberImportVisibility"),
            // Where everything is checked, a warning is an error, and the tests read what the optimised code hides.
            .unsafeFlags(checked ? ["-warnings-as-errors"] : []),
            .unsafeFlags(checked ? ["-enable-testing"] : [], .when(configuration: .release)),
            .unsafeFlags(headerFlags.flatMap { ["-Xcc", $0] }),
            // Nobody debugs a release build. SwiftPM passes -g after these flags, so only the frontend's own flag counts.
            .unsafeFlags(["-Xfrontend", "-gnone"], .when(configuration: .release)),
            // Tests take longer to be optimised than to run. No module imports them, so none waits for their interface,
            // which would take a second pass over the sources.
            .unsafeFlags(
                target.type == .test ? ["-Onone", "-no-emit-module-separately-wmo"] : [],
                .when(configuration: .release)),
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
