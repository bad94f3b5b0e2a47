/// The keys for connections to other programs. Each connection is off by default.
extension Settings {
    // MARK: connections

    static let publicAddress = Setting(
        "connections.public_url", default: "",
        "The service's address for browsers, such as http://zoo.local:8080. Messages then link to pictures. "
            + "If empty, there are no links."
    )

    // MARK: cameras

    static let camerasEnabled = Setting(
        "cameras.enabled", default: false,
        "Whether admins may add cameras for the service to watch.")
    static let camerasMax = Setting(
        "cameras.max", default: 16, in: 1...1000, "Largest number of cameras. One more is a 409.")
    static let cameraFiles = Setting(
        "cameras.files", default: "",
        "Folder of films that may replace cameras, as file:NAME. If empty, none may.")
    static let cameraDays = Setting(
        "cameras.keep_days", default: 30.0, in: 0.0...36_500,
        "Days after which a sighting and its picture are removed. 0 keeps them forever.")
    static let cameraBytes = Setting(
        "cameras.keep_bytes", default: 1_073_741_824, in: 0...mostBytes,
        "Bytes of the sightings' pictures beyond which the oldest are removed. 0 means no limit.")
    static let individualConfidence = Setting(
        "cameras.individual_threshold", default: 0.5, in: 0.0...1.0,
        "Least confidence, from 0 to 1, for naming an individual animal.")

    // MARK: mqtt

    static let mqttURL = Setting(
        "mqtt.url", default: "",
        "MQTT broker that receives sightings, such as mqtt://192.168.1.5:1883 or mqtts://host:8883. If empty, "
            + "there is none.")
    static let mqttUser = Setting(
        "mqtt.user", default: "", "Name of the service's user at the broker. If empty, it uses none.")
    static let mqttPassword = Setting("mqtt.password", default: "", "That user's password.")
    static let mqttClientID = Setting(
        "mqtt.client_id", default: "menagerie",
        "Id of this client: letters, digits and _. Two services at one broker need different ids.")
    static let mqttAuthorities = Setting(
        "mqtt.ca_file", default: "",
        "PEM file of the authorities for the broker's certificate. If empty, the system's are used.")
    static let mqttKeepAlive = Setting(
        "mqtt.keep_alive_s", default: 30, in: 5...65535, "Seconds of silence after which the broker counts as gone."
    )
    static let mqttTopic = Setting(
        "mqtt.topic", default: "menagerie",
        "First level of the topics. Two services at one broker need different ones.")
    static let mqttWaiting = Setting(
        "mqtt.max_waiting", default: 1000, in: 1...1_000_000,
        "Largest number of messages that wait on the disk for the broker. The oldest are dropped.")

    // MARK: homeassistant

    static let homeAssistant = Setting(
        "homeassistant.discovery_topic", default: "homeassistant",
        "First level of the topics by which Home Assistant finds the cameras. If empty, they are not "
            + "announced. Needs mqtt.url.")

    // MARK: webhooks

    static let webhookFile = Setting(
        "webhooks.file", default: "",
        "JSON file of the webhooks that receive sightings, see Docs/connections/webhooks.md. If empty, there "
            + "are none.")
    static let webhookPrivate = Setting(
        "webhooks.allow_private", default: false,
        "Whether webhooks may use addresses of this machine and of private networks.")

    // MARK: frigate

    static let frigateURL = Setting(
        "frigate.url", default: "",
        "Address of Frigate, whose animals get names, such as http://frigate.local:5000. If empty, there is "
            + "none. Needs mqtt.url.")
    static let frigateTopic = Setting(
        "frigate.topic", default: "frigate", "Beginning of Frigate's topics, such as home/frigate.")
    static let frigateLabels = Setting(
        "frigate.labels", default: "cat,dog,bird", "Frigate's labels that are analysed, separated by commas.")
    static let frigateThreshold = Setting(
        "frigate.threshold", default: 0.5, in: 0.0...1.0, "Least confidence of a name, from 0 to 1.")
    static let frigateToken = Setting(
        "frigate.token", default: "", "Token of a Frigate admin for port 8971. Port 5000 needs none.")

    /// All keys of this file, in the order of the configuration file.
    static let connectionKeys: [any AnySetting] = [
        publicAddress,
        camerasEnabled, camerasMax, cameraFiles, cameraDays, cameraBytes, individualConfidence,
        mqttURL, mqttUser, mqttPassword, mqttClientID, mqttAuthorities, mqttKeepAlive, mqttTopic, mqttWaiting,
        homeAssistant, webhookFile, webhookPrivate,
        frigateURL, frigateTopic, frigateLabels, frigateThreshold, frigateToken,
    ]
}
