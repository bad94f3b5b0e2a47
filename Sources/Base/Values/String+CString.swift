extension String {
    /// The text that a C function wrote into a buffer, up to its first zero.
    package init(writtenInto buffer: [CChar]) {
        self.init(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
