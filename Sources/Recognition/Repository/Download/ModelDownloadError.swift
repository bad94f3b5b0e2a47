/// The reason why a model was not downloaded.
package enum ModelDownloadError: Error, Sendable, Equatable {
    case catalogue(String)
    /// The text is not the address of a model file.
    case address(String)
    /// The connection failed. The bytes received so far are kept.
    case connection(String, received: Int)
    /// The server answered with this status.
    case status(Int)
    /// The server redirected to a forbidden address. The text says why.
    case redirection(String, reason: String)
    /// The file is larger than allowed, in bytes.
    case tooLarge(limit: Int)
    /// The size differs from the announced one.
    case size(received: Int, expected: Int)
    case checksum(found: String, expected: String)
    /// The file is complete, but cannot be served.
    case unusable(String)
    /// A model of that name and version exists already.
    case exists(String)
    case disk(String)
}

extension ModelDownloadError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .catalogue(let reason): reason
        case .address(let text):
            "\(text) is not the http(s) address of a model file (.onnx, .tflite, .pb or .mlmodel) with a plain file name"
        case .connection(let reason, let received):
            "the connection failed after \(received) bytes (\(reason)); the same command goes on from there"
        case .status(let code): "the server answered with status \(code)"
        case .redirection(let address, let reason):
            "the server sends us on to \(address), but \(reason)"
        case .tooLarge(let limit): "the file has more than the \(limit) bytes that a model may have"
        case .size(let received, let expected): "\(received) bytes came where \(expected) were announced"
        case .checksum(let found, let expected):
            "the file's SHA-256 is \(found), not \(expected); it was thrown away"
        case .unusable(let reason): "the file is whole, but cannot be served: \(reason)"
        case .exists(let path): "\(path) is there already; remove it, or give another --name or --version"
        case .disk(let reason): reason
        }
    }
}
