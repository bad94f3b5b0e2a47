import COpenVINO

/// Owns one object of OpenVINO's C API and frees it with the function for its type.
///
/// `@unchecked Sendable`: the pointer never changes, and OpenVINO's core, compiled models and ports may be used from
/// any thread. An infer request is used by one thread at a time, which ``OpenVINOEngine`` ensures.
final class OpenVINOHandle: @unchecked Sendable {
    let pointer: OpaquePointer
    private let free: @Sendable (OpaquePointer) -> Void

    /// - Parameters:
    ///   - action: a description of the call, for the error message.
    ///   - free: the free function of the type.
    ///   - make: fills the out parameter.
    /// - Throws: ``RecognitionError/engine(_:)`` with OpenVINO's message.
    init(
        _ action: String, free: @escaping @Sendable (OpaquePointer) -> Void,
        _ make: (UnsafeMutablePointer<OpaquePointer?>) -> ov_status_e
    ) throws(RecognitionError) {
        var made: OpaquePointer?
        try OpenVINO.check(action, make(&made))
        guard let made else { throw .engine("\(action): no object") }
        pointer = made
        self.free = free
    }

    deinit { free(pointer) }
}

/// Status checks for the C API.
enum OpenVINO {
    /// - Throws: ``RecognitionError/engine(_:)`` with the status and OpenVINO's last message, unless the status is OK.
    static func check(_ action: String, _ status: ov_status_e) throws(RecognitionError) {
        guard status != OK else { return }
        let kind = ov_get_error_info(status).map { String(cString: $0) } ?? "status \(status.rawValue)"
        // The message begins with the source file. The last line says what was wrong.
        let message = ov_get_last_err_msg().map { String(cString: $0) } ?? ""
        let reason = message.split(separator: "\n").last.map(String.init) ?? ""
        throw .engine("\(action): \(kind)" + (reason.isEmpty ? "" : ", \(reason)"))
    }
}
