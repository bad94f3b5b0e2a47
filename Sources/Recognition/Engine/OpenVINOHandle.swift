import COpenVINO

/// Owns one object of OpenVINO's C API and frees it with the function that belongs to its type.
///
/// `@unchecked Sendable` holds because the pointer never changes and OpenVINO's core, compiled models and ports may be
/// used from any thread; an infer request is used by one thread at a time, which ``OpenVINOEngine`` sees to.
final class OpenVINOHandle: @unchecked Sendable {
    let pointer: OpaquePointer
    private let free: @Sendable (OpaquePointer) -> Void

    /// - Parameters:
    ///   - action: what is done, for the error message.
    ///   - free: the type's own free function.
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
        // The message names the source file first; the last line says what was wrong.
        let message = ov_get_last_err_msg().map { String(cString: $0) } ?? ""
        let reason = message.split(separator: "\n").last.map(String.init) ?? ""
        throw .engine("\(action): \(kind)" + (reason.isEmpty ? "" : ", \(reason)"))
    }
}
