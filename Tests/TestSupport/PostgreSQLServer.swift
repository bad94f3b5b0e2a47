import Foundation

/// A PostgreSQL server for this test process, on a Unix socket without a port, with its data in a temporary directory.
///
/// A watchdog process stops the server and removes its data when the test process has ended in any way. PostgreSQL
/// refuses to run as root, so as root the server runs as the user `postgres`.
package final class PostgreSQLServer: Sendable {
    /// The server that all tests share.
    package static let shared: Result<PostgreSQLServer, Obstacle> = Result { () throws(Obstacle) in
        try PostgreSQLServer()
    }

    package static var isAvailable: Bool { (try? shared.get()) != nil }

    /// The reason why there is no server.
    package struct Obstacle: Error {
        package var reason: String
    }

    private let directory: String
    private let programs: String

    package init() throws(Obstacle) {
        guard let programs = Self.programs() else {
            throw Obstacle(reason: "no PostgreSQL server is installed (apt-get install postgresql)")
        }
        self.programs = programs
        // The configured temporary folder is unsuitable, since another user needs access and a socket's path must be
        // short.
        directory = P_tmpdir + "/menagerie-postgresql-\(UUID().uuidString)"
        let user = geteuid() == 0 ? "postgres" : NSUserName()
        try Self.shell(
            """
            set -e
            mkdir -m 700 \(directory); chown \(user) \(directory)
            \(Self.asUser) \(programs)/initdb -D \(directory)/data -A trust -U menagerie -E UTF8 --no-sync
            """)
        // The watchdog starts first, so no later failure leaves a server behind.
        try Self.shell(
            """
            (while kill -0 \(getpid()) 2>/dev/null; do sleep 0.5; done
            \(Self.asUser) \(programs)/pg_ctl -D \(directory)/data -m immediate stop; rm -rf \(directory)) \
            </dev/null >/dev/null 2>&1 &
            """)
        try control("start")
    }

    /// A connection string for a new, empty database.
    package func newDatabase() throws(Obstacle) -> String {
        let name = "t" + UUID().uuidString.replacing("-", with: "").lowercased()
        try Self.shell("\(programs)/createdb -h \(directory) -U menagerie \(name)")
        return "host=\(directory) user=menagerie dbname=\(name)"
    }

    /// Runs `start` or `-m immediate stop`, which acts on the server like kill -9.
    ///
    /// Nothing is flushed to the disk (`fsync=off`). The kernel keeps the data of a killed server. Only a crash of the
    /// machine would lose it, and flushing would make every test slow.
    package func control(_ command: String) throws(Obstacle) {
        try Self.shell(
            """
            \(Self.asUser) \(programs)/pg_ctl -D \(directory)/data -w -t 300 -l \(directory)/log \
            -o "-k \(directory) -c listen_addresses= -c max_connections=200 -c fsync=off" \(command)
            """)
    }

    /// The process that takes connections.
    package func processIdentifier() throws(Obstacle) -> Int32 {
        let text = try? String(contentsOfFile: directory + "/data/postmaster.pid", encoding: .utf8)
        guard let process = text?.split(separator: "\n").first.flatMap({ Int32($0) }) else {
            throw Obstacle(reason: "there is no process")
        }
        return process
    }

    private static var asUser: String { geteuid() == 0 ? "runuser -u postgres --" : "" }

    /// Debian installs the programs outside the path, in a folder for each version.
    private static func programs() -> String? {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let debian = versions.compactMap { Int($0) }.sorted(by: >).map { "/usr/lib/postgresql/\($0)/bin" }
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (debian + path).first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
    }

    /// `Process` would wait for the last descendant, but the server stays.
    private static func shell(_ script: String) throws(Obstacle) {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in Int32(0)...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        let words: [String] = ["sh", "-c", "cd /tmp; " + script]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        var process = pid_t()
        let started = posix_spawn(&process, "/bin/sh", &actions, nil, &arguments, environ)
        guard started == 0 else { throw Obstacle(reason: "cannot start a shell (error \(started))") }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        guard status == 0 else { throw Obstacle(reason: "failed with status \(status): \(script)") }
    }
}
