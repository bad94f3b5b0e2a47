import Glibc

extension LocalNetwork {
    /// What is printed once the service listens: the address and the key, as text and as a code for the phone's camera.
    ///
    /// - Parameter isTerminal: whether colours make the code sure to be light on dark.
    func welcome(port: Int, isTerminal: Bool = isatty(STDOUT_FILENO) == 1) -> String {
        let urls = (names.isEmpty ? addresses : names).map { "https://\($0.contains(":") ? "[\($0)]" : $0):\(port)/" }
        guard let first = urls.first else { return "" }
        // A fragment stays in the browser: it is no part of any request.
        let scanned = newKey.map { "\(first)#key=\($0)" } ?? first
        var text = "\nMenagerie for the phones in this network:\n\n"
        for url in urls { text += "    \(url)\n" }
        if let newKey {
            text += "\nThe first key, for an admin; it is shown only this once:\n\n    \(newKey)\n"
        } else {
            text += "\nKeys were made before; `menagerie keys add NAME --role user` makes one more.\n"
        }
        if let code = QRCode(scanned) { text += "\n" + code.text(isTerminal: isTerminal) }
        guard names.isEmpty else { return text + "\nPoint the phone's camera at the code.\n" }
        return text + """

            Point the phone's camera at the code. The browser warns once, as it does not know this service yet; on the page,
            More, “This phone” tells how to have it trusted, so that live pictures work without a warning.

            """
    }
}
