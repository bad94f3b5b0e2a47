import Foundation
import HTTP

extension ServerConfiguration {
    /// - Throws: ``SettingsError`` if only one of certificate and key is given, or if a trusted proxy is not a network.
    init(_ settings: Settings) throws {
        let probe = settings[Settings.halfClosedProbe]
        self = .standard
        host = settings[Settings.host]
        port = settings[Settings.port]
        unixSocketPath = settings.given(Settings.unixSocket)
        loops = settings.given(Settings.loops) ?? max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
        backlog = settings[Settings.backlog]
        maxConnections = settings[Settings.maxConnections]
        limits = ParserLimits(settings)
        timeouts = ConnectionTimeouts(settings)
        drainTimeout = .seconds(settings[Settings.drainTimeout])
        serverName = "Menagerie/" + Version.current
        probesHalfClosedClients = probe > 0
        halfClosedProbeDelay = .milliseconds(max(1, probe))
        eventLoop = EventLoopKind(rawValue: settings[Settings.eventLoop]) ?? .epoll
        fixedFields = PageSecurity.fixedFields
        bodyMemory = settings[Settings.bodyMemory]
        maxRequestsPerConnection = settings.given(Settings.maxRequestsPerConnection)
        trustedProxies = try TrustedProxies(settings)
        webSocketLimits = WebSocketLimits(
            messageBytes: settings[Settings.webSocketMessageBytes],
            compressionBytes: settings[Settings.webSocketCompressionBytes])
        webSocketTimeouts = WebSocketTimeouts(
            heartbeat: settings.given(Settings.webSocketPing).map { .seconds($0) },
            pong: .seconds(settings[Settings.webSocketPongTimeout]),
            close: .seconds(settings[Settings.webSocketCloseTimeout]))
        tls = try TLSConfiguration(settings)
    }
}

extension ParserLimits {
    fileprivate init(_ settings: Settings) {
        self = .standard
        requestLine = settings[Settings.maxTargetBytes]
        method = settings[Settings.maxMethodBytes]
        fieldLine = settings[Settings.maxHeaderLineBytes]
        fields = settings[Settings.maxHeaderBytes]
        fieldCount = settings[Settings.maxHeaderFields]
        body = settings[Settings.maxBodyBytes]
        chunkExtensions = settings[Settings.maxChunkExtensionBytes]
        trailers = settings[Settings.maxTrailerBytes]
        leadingEmptyLines = settings[Settings.maxEmptyLines]
        pipelinedRequests = settings[Settings.maxPipelined]
    }
}

extension ConnectionTimeouts {
    fileprivate init(_ settings: Settings) {
        self = .standard
        header = .seconds(settings[Settings.headerTimeout])
        body = .seconds(settings[Settings.bodyTimeout])
        idle = .seconds(settings[Settings.idleTimeout])
        write = .seconds(settings[Settings.writeTimeout])
        linger = .seconds(settings[Settings.lingerTimeout])
        minimumRate = settings[Settings.minimumRate]
    }
}

extension TrustedProxies {
    fileprivate init(_ settings: Settings) throws {
        do {
            try self.init(settings.list(Settings.trustedProxies))
        } catch {
            throw SettingsError("\(Settings.trustedProxies.name): \(error)")
        }
    }
}

extension TLSConfiguration {
    /// Nil without a certificate. The service then speaks plain HTTP.
    fileprivate init?(_ settings: Settings) throws {
        let (certificate, key) = (settings[Settings.tlsCertificate], settings[Settings.tlsKey])
        guard certificate.isEmpty == key.isEmpty else {
            throw SettingsError(
                "\(Settings.tlsCertificate.name) and \(Settings.tlsKey.name) have to be set both or neither.")
        }
        guard !certificate.isEmpty else { return nil }
        self.init(
            certificateChainPath: certificate, keyPath: key,
            minimumVersion: Version(rawValue: settings[Settings.tlsMinimumVersion]) ?? .tls12,
            strictTransportMaxAge: settings.given(Settings.hstsMaxAge),
            handshakeTimeout: .seconds(settings[Settings.tlsHandshakeTimeout]))
    }
}
