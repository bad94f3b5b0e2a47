import API
import Base
import Connections
import Encyclopaedia
import Foundation
import Logging
import Recognition
import Storage
import Training
import Video

/// The connections to other programs that the settings ask for.
struct Connected: Sendable {
    let cameras: CameraService
    private let client: MQTTClient?
    private let publisher: HomeAssistantPublisher?
    private let webhooks: WebhookSender
    private let frigate: FrigateEnricher?

    /// The time between two checks for new names of animals.
    private static let interval = Duration.seconds(10)

    /// - Throws: ``SettingsError``, or `CameraError` if the list of cameras is unreadable.
    init(
        _ settings: Settings, recogniser: Recogniser, history: HistoryStore, encyclopaedia: Encyclopaedia,
        training: TrainingService, metrics: ServiceMetrics
    ) async throws {
        let data = try DataDirectory(settings).path
        let identifier = Identifier(
            encyclopaedia: encyclopaedia, individuals: training.individuals,
            least: settings[Settings.individualConfidence])
        cameras = try CameraService(
            options: try CameraService.Options(settings, data: data), recogniser: recogniser, identifier: identifier,
            logger: Logger(label: "menagerie.cameras"))
        let address = try Self.address(settings)
        let logger = Logger(label: "menagerie.mqtt")
        let waiting = data + "/outbox/mqtt"
        client = try Self.mqttOptions(settings).map { options in
            MQTTClient(
                options, outbox: Outbox(directory: waiting, limit: settings[Settings.mqttWaiting]), logger: logger)
        }
        if let client {
            client.register(in: metrics.registry)
            publisher = HomeAssistantPublisher(
                client: client,
                device: HomeAssistantDevice(
                    id: settings[Settings.mqttClientID], prefix: settings[Settings.mqttTopic],
                    version: Version.current, address: address),
                discovery: settings.given(Settings.homeAssistant), names: { identifier.names },
                logger: logger)
        } else {
            publisher = nil
            let count = Outbox.remove(directory: waiting)
            if count > 0 {
                logger.warning(
                    "The messages for an MQTT broker that was removed are deleted", metadata: ["messages": "\(count)"])
            }
        }
        let hooks = try Self.hooks(settings)
        webhooks = WebhookSender(
            hooks, directory: data + "/outbox/webhooks", allowsPrivate: settings[Settings.webhookPrivate],
            address: address, logger: Logger(label: "menagerie.webhooks"))
        frigate =
            if let client, let options = try Self.frigateOptions(settings) {
                FrigateEnricher(
                    options, client: client, recogniser: recogniser, identifier: identifier,
                    logger: Logger(label: "menagerie.frigate"))
            } else {
                nil
            }
        frigate?.register(in: metrics.registry)
        if !hooks.isEmpty { webhooks.register(in: metrics.registry) }
        if settings[Settings.camerasEnabled] { cameras.register(in: metrics.registry) }
        if let publisher { await cameras.add(publisher) }
        await cameras.add(webhooks)
        await cameras.save(
            with: CameraScans.scanner(recogniser: recogniser, history: history, training: training) {
                metrics.savedScan()
            })
    }

    /// Runs until the task is cancelled.
    func run() async {
        client?.start()
        await withDiscardingTaskGroup { group in
            group.addTask { await cameras.run() }
            group.addTask { await webhooks.run() }
            if let frigate { group.addTask { await frigate.run() } }
            if let publisher {
                group.addTask {
                    while !Task.isCancelled {
                        try? await Task.sleep(for: Self.interval)
                        await publisher.refresh()
                    }
                }
            }
        }
        await client?.stop()
    }

    // MARK: Settings, which `menagerie doctor` checks too

    static func address(_ settings: Settings) throws(SettingsError) -> String? {
        guard let text = settings.given(Settings.publicAddress) else { return nil }
        guard let url = URL(string: text), url.isHTTP, url.user() == nil, url.query() == nil, url.fragment() == nil
        else {
            throw SettingsError(
                "\(Settings.publicAddress.name) has to be an address such as http://zoo.local:8080, without a password "
                    + "and a query.")
        }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// Nil without a broker.
    static func mqttOptions(_ settings: Settings) throws(SettingsError) -> MQTTOptions? {
        guard let address = settings.given(Settings.mqttURL) else { return nil }
        func isPlain(_ text: String) -> Bool {
            (1...40).contains(text.utf8.count)
                && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") }
        }
        for key in [Settings.mqttClientID, Settings.mqttTopic] where !isPlain(settings[key]) {
            throw SettingsError("\(key.name) has to be 1 to 40 letters, digits or _.")
        }
        guard settings.given(Settings.homeAssistant).map(isPlain) ?? true else {
            throw SettingsError("\(Settings.homeAssistant.name) has to be 1 to 40 letters, digits or _, or empty.")
        }
        var options: MQTTOptions
        do {
            options = try MQTTOptions(address: address)
        } catch {
            throw SettingsError("\(Settings.mqttURL.name) \(error).")
        }
        options.clientID = settings[Settings.mqttClientID]
        if let user = settings.given(Settings.mqttUser) {
            guard MQTTOptions.canCarry(user) else {
                throw SettingsError("\(Settings.mqttUser.name) must not have control characters.")
            }
            options.user = user
            options.password = settings[Settings.mqttPassword]
        } else if settings.given(Settings.mqttPassword) != nil {
            throw SettingsError("\(Settings.mqttPassword.name) needs \(Settings.mqttUser.name).")
        }
        options.authorities = settings.given(Settings.mqttAuthorities)
        guard options.authorities == nil || options.isEncrypted else {
            throw SettingsError(
                "\(Settings.mqttAuthorities.name) needs an address with mqtts:// in \(Settings.mqttURL.name): with "
                    + "mqtt:// nothing is encrypted.")
        }
        options.keepAlive = settings[Settings.mqttKeepAlive]
        options.will = HomeAssistantPublisher.will(prefix: settings[Settings.mqttTopic])
        return options
    }

    /// Empty without a file of webhooks.
    static func hooks(_ settings: Settings) throws(SettingsError) -> [Webhook] {
        guard let path = settings.given(Settings.webhookFile) else { return [] }
        let bytes: Data
        do throws(SettingsError) {
            bytes = try Data(ofFile: path)
        } catch {
            throw SettingsError("\(Settings.webhookFile.name): the file \(path) cannot be used. \(error)")
        }
        do {
            return try WebhookFile.read(Array(bytes))
        } catch {
            throw SettingsError("\(path): \(error).")
        }
    }

    /// Nil without an address of Frigate.
    static func frigateOptions(_ settings: Settings) throws(SettingsError) -> FrigateEnricher.Options? {
        guard let text = settings.given(Settings.frigateURL) else { return nil }
        guard let url = URL(string: text), url.isHTTP, url.user() == nil else {
            throw SettingsError(
                "\(Settings.frigateURL.name) has to be an address such as http://frigate.local:5000, without a password."
            )
        }
        guard settings.given(Settings.mqttURL) != nil else {
            throw SettingsError(
                "\(Settings.frigateURL.name) needs \(Settings.mqttURL.name): Frigate tells of animals there.")
        }
        var options = FrigateEnricher.Options(url: url)
        options.prefix = try frigateTopic(settings)
        options.labels = Set(settings.list(Settings.frigateLabels))
        guard !options.labels.isEmpty else {
            throw SettingsError("\(Settings.frigateLabels.name) has to have one label at least, such as cat.")
        }
        options.least = settings[Settings.frigateThreshold]
        options.token = settings.given(Settings.frigateToken)
        return options
    }

    /// - Throws: ``SettingsError`` for a topic that no broker knows, which would end each connection.
    static func frigateTopic(_ settings: Settings) throws(SettingsError) -> String {
        let topic = settings[Settings.frigateTopic]
        guard !topic.isEmpty, !topic.hasSuffix("/"), !topic.utf8.contains(where: { "#+".utf8.contains($0) }),
            MQTTOptions.canCarry(topic + "/events")
        else {
            throw SettingsError(
                "\(Settings.frigateTopic.name) is \"\(String(topic.prefix(80)).printable)\", but has to be a topic such as "
                    + "frigate or home/frigate, without wildcards and control characters.")
        }
        return topic
    }
}

extension CameraService.Options {
    fileprivate init(_ settings: Settings, data: String) throws(SettingsError) {
        self.init(isOn: settings[Settings.camerasEnabled], directory: data + "/cameras")
        limit = settings[Settings.camerasMax]
        files = settings.given(Settings.cameraFiles)
        retention = RetentionPolicy(
            maximumAge: settings.given(Settings.cameraDays).map { $0 * 86_400 },
            maximumBytes: settings.given(Settings.cameraBytes))
        videoLimits = VideoLimits(settings)
    }
}
