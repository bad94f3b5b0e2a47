import Base
import HTTP
import Testing

@Suite("Trace context and server timing")
struct TraceContextTests {
    @Test("reads the example of the standard")
    func example() throws {
        let text = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        let context = try #require(TraceContext(["Traceparent": text]))
        #expect(context.traceID == "0af7651916cd43dd8448eb211c80319c")
        #expect(context.spanID == "b7ad6b7169203331")
        #expect(context.isSampled)
        #expect(context.description == text)
    }

    @Test("reads later versions and other flags")
    func versions() {
        #expect(
            TraceContext(parsing: "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what")?.isSampled == true)
        #expect(TraceContext(parsing: "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-02")?.isSampled == false)
    }

    @Test(
        "refuses what is invalid",
        arguments: [
            "", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0g",
            "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01x",
        ])
    func invalid(text: String) {
        #expect(TraceContext(parsing: text) == nil)
    }
}
