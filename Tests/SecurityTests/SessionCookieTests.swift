import HTTP
import Testing

@testable import Security

@Suite struct SessionCookieTests {
    private func request(_ headers: HeaderFields = [:], _ transport: Request.Transport = []) -> Request {
        Request(headers: headers, transport: transport)
    }

    @Test func overHTTPSItNeverLeavesUnencrypted() {
        let forwarded = request(["X-Forwarded-Proto": "https"], .trustedPeer)
        for secure in [request([:], .tls), forwarded, request(["Forwarded": "for=1.2.3.4;proto=https"], .trustedPeer)] {
            let field = SessionCookie.field("x", seconds: 60, for: secure)
            #expect(field == "__Host-menagerie_session=x; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure")
        }
        // Only a trusted proxy's header fields count.
        for plain in [request(), request(["X-Forwarded-Proto": "https"])] {
            let field = SessionCookie.field("x", seconds: 60, for: plain)
            #expect(field == "menagerie_session=x; Path=/; Max-Age=60; HttpOnly; SameSite=Strict")
        }
    }

    @Test func aCookieThatCouldComeFromElsewhereIsNotTakenOverHTTPS() {
        let cookies: HeaderFields = ["Cookie": "menagerie_session=planted; a=b"]
        #expect(SessionCookie.value(in: request(cookies, .tls)) == nil)
        #expect(SessionCookie.value(in: request(cookies)) == "planted")
        let own: HeaderFields = ["Cookie": "a; __Host-menagerie_session=own;b=c"]
        #expect(SessionCookie.value(in: request(own, .tls)) == "own")
        #expect(SessionCookie.value(in: request(own)) == nil)
        #expect(SessionCookie.value(in: request(["Cookie": "xmenagerie_session=x; =; menagerie_session"])) == nil)
    }
}
