import Dispatch
import Foundation
import Logging
import Testing

@testable import Telemetry

@Suite struct LogWriterTests {
    /// The two ends of a socket that keeps writes separate, so that they can be counted.
    private struct Ends {
        let reader: Int32
        let writer: Int32

        init() throws {
            var ends: [Int32] = [0, 0]
            try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
            (reader, writer) = (ends[0], ends[1])
        }

        func read() -> String {
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            let count = bytes.withUnsafeMutableBytes { Foundation.read(reader, $0.baseAddress, $0.count) }
            return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        }

        func close() {
            Foundation.close(reader)
            Foundation.close(writer)
        }
    }

    private func write(_ count: Int, to writer: LogWriter) {
        for number in 0..<count {
            writer.write { lines in
                lines.begin(level: "info", logger: "test", message: "Line")
                lines.field("number", number)
                lines.end()
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func manyLinesAreOneWriteThatComesByItself() throws {
        let ends = try Ends()
        defer { ends.close() }
        let writer = LogWriter(descriptor: ends.writer)
        write(50, to: writer)
        // Nothing triggers the write except the time since the first line.
        let lines = ends.read().split(separator: "\n")
        #expect(lines.count == 50)
        #expect(lines.last?.hasSuffix("number=49") == true)
    }

    @Test(.timeLimit(.minutes(1))) func linesComeInTheirOrder() throws {
        let pipe = Pipe()
        let writer = LogWriter(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        var logger = Logger(label: "menagerie") { LineLogHandler(label: $0, level: .info, writer: writer) }
        logger[metadataKey: "b"] = "2"
        write(3, to: writer)
        logger.debug("Not this")
        logger.notice("Stopping", metadata: ["a": "1"])
        writer.flush()
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: try #require(try pipe.fileHandleForReading.readToEnd()), as: UTF8.self)
        let lines = text.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.last?.hasSuffix(" notice menagerie: Stopping a=1 b=2") == true, "\(text)")
        #expect(writer.droppedLines == 0)
    }

    @Test(.timeLimit(.minutes(1))) func whatFindsNoRoomIsCountedAndTold() throws {
        let pipe = Pipe()
        let capacity = 10_000
        let writer = LogWriter(descriptor: pipe.fileHandleForWriting.fileDescriptor, format: .json, capacity: capacity)
        // The text exceeds the buffer and the pipe, which nobody reads.
        var written = 0
        while writer.droppedLines < 1000 {
            write(100, to: writer)
            written += 100
        }
        let dropped = writer.droppedLines
        // The writer gives up waiting for the pipe.
        writer.flush(within: .milliseconds(10))
        DispatchQueue(label: "flush").async {
            writer.flush(within: .seconds(50))
            try? pipe.fileHandleForWriting.close()
        }
        let text = String(decoding: try #require(try pipe.fileHandleForReading.readToEnd()), as: UTF8.self)
        let objects = try text.split(separator: "\n").map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: String])
        }
        let told = objects.filter { $0["message"] == "Log lines dropped" }
        #expect(told.reduce(0) { $0 + (Int($1["count"] ?? "") ?? 0) } == dropped)
        #expect(objects.count - told.count + dropped == written)
    }

    @Test(.timeLimit(.minutes(1))) func whatCannotBeWrittenIsCounted() throws {
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let writer = LogWriter(descriptor: full.fileDescriptor)
        write(7, to: writer)
        writer.flush()
        #expect(writer.droppedLines == 7)
    }
}
