import Glibc
@testable import HTTP
import TestSupport
import Testing

@Suite struct OutputQueueTests {
    /// The device takes everything at once, as a client does that reads as fast as the server sends.
    @Test func aLongFileLeavesOthersTheirTurn() throws {
        let folder = try TemporaryFolder()
        try folder.write([UInt8](repeating: 1, count: 4 * OutputQueue.turn), "long")
        let client = open("/dev/null", O_WRONLY | O_CLOEXEC)
        try #require(client >= 0)
        defer { close(client) }
        let pool = BufferPool()
        var queue = OutputQueue()
        queue.append(try FileRegion(path: folder.path + "/long"))
        for turn in 1...4 {
            #expect(queue.isFull)
            var sent = 0
            let result = queue.flush(client, nil, pool, sent: &sent)
            #expect(sent == OutputQueue.turn)
            #expect(result == (turn < 4 ? .unfinished : .done))
        }
        #expect(queue.isEmpty && !queue.isFull)
    }
}
