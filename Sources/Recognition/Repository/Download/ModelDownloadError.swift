/// Why a model was not pulled.
package enum ModelDownloadError: Error, Sendable, Equatable {
    case catalogue(String)
    /// Not an address of a model file.
    case address(String)
    /// The connection failed; what came so far is kept.
    case connection(String, received: Int)
    /// The server answered with this status.
    case status(Int)
    /// The server sent us on to where we do not go, and why not.
    case redirection(String, reason: String)
    /// There is more of it than a model may have; in bytes.
    case tooLarge(limit: Int)
    /// What came is not what was announced.
    case size(received: Int, expected: Int)
    case checksum(found: String, expected: String)
    /// The file is there and whole, but cannot be served.
    case unusable(String)
    /// There is a model of that name and version.
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
