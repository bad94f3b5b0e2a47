import Dispatch

/// Runs blocking work outside the cooperative pool, which the tested handlers need.
package func onThread<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "client").async {
            continuation.resume(with: Swift.Result { try work() })
        }
    }
}

/// A new connection on which the text is sent already.
package func openClient(_ port: Int, sending text: String) async throws -> RawClient {
    try await onThread {
        let client = try RawClient(port: port)
        try client.send(text)
        return client
    }
}

/// Sends the bytes on a new connection, ends the writing side, and reads to the end. The result leaves out `102
/// Processing`, which a client receives that has ended its side and waits for long.
package func exchange(_ port: Int, _ text: String) async throws -> [RawResponse] {
    try await exchange(port, Array(text.utf8))
}

package func exchange(_ port: Int, _ bytes: [UInt8], toHead: Bool = false) async throws -> [RawResponse] {
    try await onThread {
        let client = try RawClient(port: port)
        try client.send(bytes)
        client.shutdownWriting()
        return RawResponse.parse(try client.receiveAll(), toHead: toHead).filter { $0.status != 102 }
    }
}
