/// The keys for connections to other programs. Each connection is off by default.
extension Settings {
    // MARK: connections

    static let publicAddress = Setting(
        "connections.public_url", default: "",
        "Where people open the service, such as http://zoo.local:8080; messages then link to pictures. Empty: no links."
    )

    // MARK: cameras

    static let camerasEnabled = Setting(
        "cameras.enabled", default: false,
        "Whether admins may add cameras, which the service then keeps watching.")
    static let camerasMax = Setting("cameras.max", default: 16, in: 1...1000, "Cameras at most; one more is a 409.")
    static let cameraFiles = Setting(
        "cameras.files", default: "",
        "Folder of films that may stand in for cameras, as file:NAME; empty: none may.")
    static let cameraDays = Setting(
        "cameras.keep_days", default: 30.0, in: 0.0...36_500,
        "Days after which a sighting and its picture are removed; 0 keeps them for ever.")
    static let cameraBytes = Setting(
        "cameras.keep_bytes", default: 1_073_741_824, in: 0...Int.max,
        "Bytes of the sightings' pictures beyond which the oldest are removed; 0 sets no limit.")
    static let individualConfidence = Setting(
        "cameras.individual_threshold", default: 0.5, in: 0.0...1.0,
        "How sure the service has to be, from 0 to 1, before it says which animal it is.")

    // MARK: mqtt

    static let mqttURL = Setting(
        "mqtt.url", default: "",
        "MQTT broker that is told of sightings, such as mqtt://192.168.1.5:1883 or mqtts://host:8883; empty: none.")
    static let mqttUser = Setting("mqtt.user", default: "", "Who the service is to the broker; empty: nobody.")
    static let mqttPassword = Setting("mqtt.password", default: "", "That user's password.")
    static let mqttClientID = Setting(
        "mqtt.client_id", default: "menagerie",
        "Name of this client; two services at one broker need two. Letters, digits and _.")
    static let mqttAuthorities = Setting(
        "mqtt.ca_file", default: "", "PEM file of those who vouch for the broker's certificate; empty: the system's.")
    static let mqttKeepAlive = Setting(
        "mqtt.keep_alive_s", default: 30, in: 5...65535, "Seconds without a word after which the broker counts as gone."
    )
    static let mqttTopic = Setting("mqtt.topic", default: "menagerie", "First word of the topics.")
    static let mqttWaiting = Setting(
        "mqtt.max_waiting", default: 1000, in: 1...1_000_000,
        "Messages that wait on the disk for a broker that is away; the oldest make room.")

    // MARK: homeassistant

    static let homeAssistant = Setting(
        "homeassistant.discovery_topic", default: "homeassistant",
        "First word of the topics by which Home Assistant finds the cameras; empty: it is not told. Needs mqtt.url.")

    // MARK: webhooks

    static let webhookFile = Setting(
        "webhooks.file", default: "",
        "JSON file that lists who is told of sightings, see Docs/connections/webhooks.md; empty: nobody.")
    static let webhookPrivate = Setting(
        "webhooks.allow_private", default: false,
        "Whether webhooks may be addresses of this machine and of private networks.")

    // MARK: frigate

    static let frigateURL = Setting(
        "frigate.url", default: "",
        "Frigate whose animals get their names, such as http://frigate.local:5000; empty: none. Needs mqtt.url.")
    static let frigateTopic = Setting("frigate.topic", default: "frigate", "First word of Frigate's topics.")
    static let frigateLabels = Setting(
        "frigate.labels", default: "cat,dog,bird", "Labels of Frigate's that are looked at, with commas.")
    static let frigateThreshold = Setting(
        "frigate.threshold", default: 0.5, in: 0.0...1.0, "How sure a name has to be, from 0 to 1.")
    static let frigateToken = Setting(
        "frigate.token", default: "", "Token of a Frigate admin, for its port 8971; empty for its port 5000.")

    /// All keys of this file, in the order of the configuration file.
    static let connectionKeys: [any AnySetting] = [
        publicAddress,
        camerasEnabled, camerasMax, cameraFiles, cameraDays, cameraBytes, individualConfidence,
        mqttURL, mqttUser, mqttPassword, mqttClientID, mqttAuthorities, mqttKeepAlive, mqttTopic, mqttWaiting,
        homeAssistant, webhookFile, webhookPrivate,
        frigateURL, frigateTopic, frigateLabels, frigateThreshold, frigateToken,
    ]
}
