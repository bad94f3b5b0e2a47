import Foundation
import HTTP
import Logging
import Security
import Storage

extension CORSMiddleware.Origins {
    /// Nil if the setting is empty.
    /// - Throws: ``SettingsError`` for what no browser sends as an origin: it sends lower case and no path. The type is
    ///   not stated, because the optimiser of Swift 6.3 crashes where `start` calls an initialiser that states it.
    init?(_ settings: Settings) throws {
        let origins = settings.list(Settings.corsOrigins)
        guard !origins.isEmpty else { return nil }
        guard origins != ["*"] else {
            self = .any
            return
        }
        for origin in origins where !origin.contains(/^[a-z][a-z0-9+.\-]*:\/\/[^\/?#\sA-Z*]+$/) {
            throw SettingsError(
                "\(Settings.corsOrigins.name): \"\(origin)\" is not an origin; it should read like https://zoo.example, or be * alone."
            )
        }
        self = .listed(Set(origins))
    }
}

extension AllowedHosts {
    /// The allowed hosts: this machine's name, the address it listens at, and those of the setting.
    /// - Throws: ``SettingsError`` for an invalid host name.
    init(_ settings: Settings) throws {
        do {
            try self.init(settings.list(Settings.allowedHosts))
        } catch {
            throw SettingsError("\(Settings.allowedHosts.name): \(error)")
        }
        allowMachineName()
        allowIfName(settings[Settings.host])
    }
}

extension KeyFile {
    /// The file that the setting names, or `keys.json` in the data directory.
    /// - Throws: ``SettingsError`` if the data directory is undetermined.
    init(_ settings: Settings) throws(SettingsError) {
        let path = settings[Settings.keys]
        self.init(path: path.isEmpty ? try DataDirectory(settings).path + "/keys.json" : path)
    }
}

/// The keys: those of a file that the settings name, otherwise those of the history's PostgreSQL database, otherwise
/// `keys.json` in the data directory. A database without keys takes over those of an existing `keys.json`.
/// - Throws: ``SettingsError``, and `KeyError` if the database cannot be reached.
func keyRepository(_ settings: Settings, logger: Logger? = nil) async throws -> any KeyRepository {
    let file = try KeyFile(settings)
    guard settings[Settings.keys].isEmpty,
        case .postgreSQL(let connectionString) = try HistoryConfiguration(settings).backend
    else { return file }
    let shared = try await SharedKeys.open(connectionString: connectionString)
    if try await shared.adopt(file) {
        logger?.notice("The database has taken over the keys of a file", metadata: ["file": "\(file.path)"])
    } else if file.exists {
        logger?.warning(
            "The keys in the database count, those of this file do not: it can be removed",
            metadata: ["file": "\(file.path)"])
    }
    return shared
}

extension AccessControl.Options {
    /// Reads the keys, and makes the first one if the operator asks for that.
    /// - Throws: ``SettingsError`` if the file of keys is missing, or if others could reach a service without keys.
    ///   `KeyError` if the keys cannot be read or made.
    init(_ settings: Settings, logger: Logger) async throws {
        let isOpen = settings[Settings.open]
        let isReachable = try Self.isReachableByOthers(settings)
        let repository = try await keyRepository(settings, logger: logger)
        if settings[Settings.createKey], !isOpen,
            let key = try await repository.createIfMissing("first", role: .admin)
        {
            // The key stays out of the log, which may be stored and forwarded.
            print("The first key of this service, for an admin; it is shown only this once:\n\n    \(key)\n")
            fflush(nil)
        }
        var store: KeyStore?
        if try await repository.read() != nil {
            let opened = try await KeyStore(repository)
            store = opened
            logger.notice("Keys are required", metadata: ["keys": "\(opened.keys.count)", "in": "\(repository.place)"])
            if let file = repository as? KeyFile, file.isReadableByOthers {
                logger.warning(
                    "Others can read the file of keys; chmod 600 ends that", metadata: ["file": "\(file.path)"])
            }
            if opened.keys.isEmpty {
                logger.warning("All keys were removed: nobody gets in", metadata: ["in": "\(repository.place)"])
            }
        } else {
            try Self.checkWithoutKeys(settings, in: repository.place)
            if isOpen, isReachable {
                logger.warning("Everybody who reaches this service may do everything: security.open is true")
            }
        }
        var sessions = (repository as? SharedKeys)?.sessions
        if sessions == nil, store != nil, case .postgreSQL(let url) = try HistoryConfiguration(settings).backend {
            sessions = try await SharedKeys.open(connectionString: url).sessions
        }
        let limits = store != nil || isReachable
        self.init(
            keys: store, sessions: store == nil ? nil : sessions,
            requestsPerMinute: Self.limit(Settings.requestsPerMinute, settings, byDefault: limits),
            wrongKeysPerMinute: Self.limit(Settings.wrongKeysPerMinute, settings, byDefault: true),
            sessionLifetime: settings[Settings.sessionLifetime],
            savesByDefault: settings[Settings.saveByDefault])
    }

    /// Checks as the start does whether the service may run with its keys, if these are in a file.
    /// - Throws: ``SettingsError``, and `KeyError` if the file is not understood.
    static func check(_ settings: Settings) async throws {
        _ = try isReachableByOthers(settings)
        guard !settings[Settings.keys].isEmpty || settings[Settings.historyBackend] != "postgresql" else { return }
        let file = try KeyFile(settings)
        if file.exists {
            _ = try await file.load()
        } else if !settings[Settings.createKey] {
            try checkWithoutKeys(settings, in: file.place)
        }
    }

    private static func checkWithoutKeys(_ settings: Settings, in place: String) throws {
        guard !settings[Settings.open] else { return }
        guard settings[Settings.keys].isEmpty else {
            throw SettingsError(
                "\(Settings.keys.name): there is no file \(settings[Settings.keys]); `menagerie keys add NAME --role admin` "
                    + "makes it, and \(Settings.createKey.name)=true has the service do so at its start.")
        }
        guard try !isReachableByOthers(settings) else {
            throw SettingsError(
                "\(Settings.host.name) is \"\(settings[Settings.host])\", where others can reach the service, but there are "
                    + "no keys in \(place). Make one with `menagerie keys add NAME --role admin` "
                    + "(\(Settings.keys.name) names another file), or set \(Settings.open.name)=true to let everybody do "
                    + "everything.")
        }
    }

    /// A service for one local user without keys applies limits only if they are set explicitly.
    private static func limit(_ setting: Setting<Int>, _ settings: Settings, byDefault: Bool) -> Int? {
        let limit = settings[setting]
        return limit > 0 && (byDefault || settings.isSet(setting)) ? limit : nil
    }

    private static func isReachableByOthers(_ settings: Settings) throws -> Bool {
        guard settings[Settings.unixSocket].isEmpty else { return false }
        do {
            return try !ServerConfiguration.isLoopback(settings[Settings.host])
        } catch {
            throw SettingsError(
                "\(Settings.host.name) is \"\(settings[Settings.host])\", but has to be an address or a name of this machine, "
                    + "such as \(Settings.host.defaultValue), or 0.0.0.0 for every interface (\(error)).")
        }
    }
}
