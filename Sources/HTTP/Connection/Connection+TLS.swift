extension Connection {
    /// - Returns: whether the connection can go on.
    func handshake(_ session: TLSSession) -> Bool {
        switch session.handshake() {
        case .done: return true
        case .wouldBlock: return false
        case .plainText:
            context.observer?.refused(.tlsHandshake)
            tls = nil
            answerInPlainText()
            return true
        case .failed:
            context.observer?.refused(.tlsHandshake)
            // OpenSSL has sent its alert, and closing at once could keep the client from reading it.
            tls = nil
            machine.answeredAndClosing()
            return true
        }
    }

    /// The answer carries no Strict-Transport-Security, which must not be sent over plain HTTP (RFC 6797 §7.2).
    private func answerInPlainText() {
        let serializer = context.serializer
        defer { context.serializer = serializer }
        context.serializer = serializer.withoutStrictTransport()
        answerAndClose(ProblemDetails(.badRequest, detail: "This port speaks HTTPS, not plain HTTP."))
    }
}
