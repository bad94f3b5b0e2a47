import Testing

@testable import Storage

/// The test needs no server, since nothing is read.
@Suite struct PostgreSQLReadersTests {
    @Test(.timeLimit(.minutes(1))) func whoReadsAfterTheEndIsRefused() async throws {
        let readers = PostgreSQLReaders(
            connectionString: "postgresql://127.0.0.1:1/none", patience: 0.1, count: 2, maximumPending: 8)
        readers.close()
        for _ in 0..<20 {
            await #expect(throws: HistoryError.closed) { try await readers.read { _ in 1 } }
        }
    }
}
