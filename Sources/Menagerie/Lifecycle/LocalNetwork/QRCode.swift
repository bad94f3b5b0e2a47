import CQREncode

/// A QR code (ISO/IEC 18004) of a text, made by libqrencode.
struct QRCode {
    /// Rows of modules; true is dark.
    let modules: [[Bool]]

    /// Nil for a text that is too long for any code.
    init?(_ text: String) {
        guard let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_L) else { return nil }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        let data = UnsafeBufferPointer(start: code.pointee.data, count: width * width)
        modules = (0..<width).map { row in (0..<width).map { data[row * width + $0] & 1 == 1 } }
    }

    /// Draws two rows of modules in each line of text. It draws the light modules, because most terminals are dark.
    func text(isTerminal: Bool) -> String {
        let quiet = 2
        let width = modules.count + 2 * quiet
        func isLight(_ row: Int, _ column: Int) -> Bool {
            let (y, x) = (row - quiet, column - quiet)
            guard modules.indices.contains(y), modules.indices.contains(x) else { return row < width }
            return !modules[y][x]
        }
        return stride(from: 0, to: width, by: 2).map { row in
            let line = (0..<width).map { column in
                switch (isLight(row, column), isLight(row + 1, column)) {
                case (true, true): "█"
                case (true, false): "▀"
                case (false, true): "▄"
                case (false, false): " "
                }
            }.joined()
            // White on black, whatever the colours of the terminal.
            return (isTerminal ? "    \u{1B}[97;40m\(line)\u{1B}[0m" : "    \(line)") + "\n"
        }.joined()
    }
}
