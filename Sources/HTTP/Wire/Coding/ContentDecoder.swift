import Base

/// Expands packed content (RFC 9110 §8.4.1) a piece at a time, so that a few packed bytes never become much memory
/// before somebody counts them. Only one thread may use it at a time.
final class ContentDecoder {
    enum Failure: Error, Hashable {
        /// The bytes are not content of that coding.
        case corrupt
        /// The content ended before its coding did.
        case cutOff
    }

    /// The largest piece, in bytes.
    static let pieceBytes = 64 * 1024

    private enum Phase {
        /// Nothing has come yet. The first two bytes of `deflate` show whether its header is there.
        case start
        case inside
        /// A gzip member, or the whole zlib stream, has ended.
        case ended
    }

    private let coding: ContentCoding
    private let inflater: Inflater
    private var phase = Phase.start
    private var input: ArraySlice<UInt8> = []

    init(_ coding: ContentCoding) throws(CompressionError) {
        self.coding = coding
        inflater = try Inflater(coding == .gzip ? .gzip : .zlib)
    }

    /// Adds packed bytes. Call ``next()`` until it returns nil before adding more.
    func feed(_ bytes: [UInt8]) {
        input = input.isEmpty ? bytes[...] : input + bytes
    }

    /// The next piece of 1 to ``pieceBytes`` bytes; nil when more has to be fed.
    func next() throws(Failure) -> [UInt8]? {
        // Once without input too: zlib may hold expanded bytes that did not fit into the last piece.
        repeat {
            if !input.isEmpty { try begin() }
            guard phase == .inside else { return nil }
            let before = input.count
            var status = Inflater.Status.unfinished
            let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { space, count in
                (status, count) = inflater.step(&input, into: space)
            }
            switch status {
            case .unfinished: break
            case .ended: phase = .ended
            case .corrupt: throw .corrupt
            }
            if !piece.isEmpty { return piece }
            if status == .unfinished, input.count == before { return nil }
        } while !input.isEmpty
        return nil
    }

    /// Checks that the content is complete after all bytes were fed. Empty content is valid.
    func finish() throws(Failure) {
        guard phase != .inside, input.isEmpty else { throw .cutOff }
    }

    /// Chooses how to read the bytes where something new begins.
    private func begin() throws(Failure) {
        switch (phase, coding) {
        case (.inside, _): return
        // gzip members follow one another (RFC 1952 §2.2).
        case (.ended, .gzip): inflater.reset()
        case (.ended, _): throw .corrupt
        case (.start, .deflate):
            guard let first = input.first, let second = input.dropFirst().first else { return }
            // Some senders omit the header of RFC 1950 §2.2 (RFC 9110 §8.4.1.2).
            let hasHeader = first & 0x0F == 8 && (Int(first) << 8 | Int(second)) % 31 == 0
            if !hasHeader { inflater.reset(to: .raw) }
        case (.start, _): break
        }
        phase = .inside
    }
}
