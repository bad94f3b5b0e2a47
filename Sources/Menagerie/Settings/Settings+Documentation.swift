extension Settings {
    /// The text that `--help` adds: each key's default, unit and range.
    static var help: String {
        var lines = [
            "Settings come from flags, then the environment, then the file of --config (JSON with comments), then "
                + "the defaults below. In the environment http.port is MENAGERIE_HTTP_PORT. With _file (_FILE) behind its name "
                + "each is read from a file, such as a secret: MENAGERIE_HISTORY_POSTGRESQL_URL_FILE.", "",
        ]
        for setting in all {
            lines.append("\(setting.name) (default \(setting.defaultJSON); \(setting.expectation))")
            lines.append("    \(setting.summary)")
        }
        return lines.joined(separator: "\n")
    }

    /// `Config/menagerie.json`: every key with its default, below a comment with its meaning.
    static var fileTemplate: String {
        var lines = [
            "// Menagerie's settings, each at its default. Any of them can be set in the environment:",
            "// http.port is MENAGERIE_HTTP_PORT. An unknown key or a value out of range stops the start.",
            "// With _file behind its name, a key names a file that holds the value, such as a secret.", "{",
        ]
        let groups = all.reduce(into: [String]()) { groups, setting in
            if !groups.contains(setting.group) { groups.append(setting.group) }
        }
        for group in groups {
            lines.append("    \"\(group)\": {")
            let members = all.filter { $0.group == group }
            for (index, setting) in members.enumerated() {
                lines.append("        // \(setting.summary)")
                lines.append(
                    "        // \(setting.expectation.prefix(1).uppercased() + setting.expectation.dropFirst()).")
                let comma = index < members.count - 1 ? "," : ""
                lines.append("        \"\(setting.key)\": \(setting.defaultJSON)\(comma)")
            }
            lines.append(group == groups.last ? "    }" : "    },")
        }
        return (lines + ["}", ""]).joined(separator: "\n")
    }
}

extension AnySetting {
    /// The group of a name, such as `http` of `http.port`.
    fileprivate var group: String { String(name.prefix { $0 != "." }) }

    /// The key within its group, such as `port` of `http.port`.
    fileprivate var key: String { String(name.drop { $0 != "." }.dropFirst()) }
}
