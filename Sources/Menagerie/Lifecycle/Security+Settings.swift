import API
import Foundation
import HTTP
import Logging

extension AllowedHosts {
    /// This machine's name, the one it listens at, and those of the setting.
    /// - Throws: ``SettingsError`` for what is no name of a host.
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
    /// - Throws: ``SettingsError`` where nothing says which folder that is.
    init(_ settings: Settings) throws(SettingsError) {
        let path = settings[Settings.keys]
        self.init(path: path.isEmpty ? try DataDirectory(settings).path + "/keys.json" : path)
    }
}

extension AccessControl.Options {
    /// Reads the keys, and makes the first one where the operator asks for that.
    /// - Throws: ``SettingsError`` where the file of keys is missing or others could reach a service without keys;
    ///   `KeyFileError` where it cannot be read or made.
    init(_ settings: Settings, logger: Logger) throws {
        let file = try KeyFile(settings)
        let isOpen = settings[Settings.open]
        let isReachable = try Self.isReachableByOthers(settings)
        if settings[Settings.createKey], !isOpen, let key = try file.createIfMissing("first", role: .admin) {
            // Not through the log, which may be kept and sent on.
            print("The first key of this service, for an admin; it is shown only this once:\n\n    \(key)\n")
            fflush(nil)
        }
        var store: KeyStore?
        if file.exists {
            let opened = try KeyStore(file: file)
            store = opened
            logger.notice("Keys are required", metadata: ["keys": "\(opened.keys.count)", "file": "\(file.path)"])
            if file.isReadableByOthers {
                logger.warning(
                    "Others can read the file of keys; chmod 600 ends that", metadata: ["file": "\(file.path)"])
            }
            if opened.keys.isEmpty {
                logger.warning("There is no key in the file: nobody gets in", metadata: ["file": "\(file.path)"])
            }
        } else if isOpen {
            if isReachable {
                logger.warning("Everybody who reaches this service may do everything: security.open is true")
            }
        } else if !settings[Settings.keys].isEmpty {
            throw SettingsError(
                "\(Settings.keys.name): there is no file \(file.path); `menagerie keys add NAME --role admin` makes it, and "
                    + "\(Settings.createKey.name)=true has the service do so at its start.")
        } else if isReachable {
            throw SettingsError(
                "\(Settings.host.name) is \"\(settings[Settings.host])\", where others can reach the service, but there are "
                    + "no keys. Make one with `menagerie keys add NAME --role admin` (\(Settings.keys.name) names their "
                    + "file), or set \(Settings.open.name)=true to let everybody do everything.")
        }
        let limits = store != nil || isReachable
        self.init(
            keys: store, requestsPerMinute: Self.limit(Settings.requestsPerMinute, settings, byDefault: limits),
            wrongKeysPerMinute: Self.limit(Settings.wrongKeysPerMinute, settings, byDefault: true),
            sessionLifetime: settings[Settings.sessionLifetime],
            savesByDefault: settings[Settings.saveByDefault])
    }

    /// Whoever uses the service alone, on his own machine and without keys, is limited only if he says so.
    private static func limit(_ setting: Setting<Int>, _ settings: Settings, byDefault: Bool) -> Int? {
        let limit = settings[setting]
        return limit > 0 && (byDefault || settings.isSet(setting)) ? limit : nil
    }

    private static func isReachableByOthers(_ settings: Settings) throws -> Bool {
        guard settings[Settings.unixSocket].isEmpty else { return false }
        do {
            return try !ServerConfiguration.isLoopback(settings[Settings.host])
        } catch {
            throw SettingsError("\(Settings.host.name) is \"\(settings[Settings.host])\": \(error)")
        }
    }
}
