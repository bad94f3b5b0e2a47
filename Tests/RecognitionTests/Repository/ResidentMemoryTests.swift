import Testing
@testable import Recognition

@Suite struct ResidentMemoryTests {
    @Test func pagesAreAsLargeAsTheKernelHasThem() {
        let text = "2613 1000 733 1 0 320 0\n"
        #expect(ResidentMemory.bytes(statm: text, pageSize: 4096) == 4_096_000)
        #expect(ResidentMemory.bytes(statm: text, pageSize: 65_536) == 65_536_000)
        #expect(ResidentMemory.bytes > 1 << 20)
        for broken in ["", "1", "1 x", "1 -5", "1 9223372036854775807"] {
            #expect(ResidentMemory.bytes(statm: broken, pageSize: 65_536) == 0)
        }
    }
}
