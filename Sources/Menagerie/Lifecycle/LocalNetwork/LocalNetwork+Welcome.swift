import Glibc

extension LocalNetwork {
    /// The text to print when the service listens: the address and the key, also as a code for the phone's camera.
    ///
    /// - Parameter isTerminal: whether to force white on black, so that a camera can read the code.
    func welcome(port: Int, isTerminal: Bool = isatty(STDOUT_FILENO) == 1) -> String {
        let urls = (names.isEmpty ? addresses : names).map { "https://\($0.contains(":") ? "[\($0)]" : $0):\(port)/" }
        guard let first = urls.first else { return "" }
        // The key is in the fragment, which a browser never sends.
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
