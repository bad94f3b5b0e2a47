import Glibc
import HTTP
import Testing

@Suite("Allowed hosts")
struct AllowedHostsTests {
    @Test(
        "addresses and localhost are always allowed",
        arguments: [
            "127.0.0.1", "127.0.0.1:8080", "192.168.1.20:80", "0.0.0.0", "[::1]", "[::1]:8080", "[fe80::1]:1",
            "[::ffff:127.0.0.1]", "localhost", "LocalHost:8080", "localhost.", "localhost.:8080", "zoo.localhost:1",
        ])
    func ours(host: String) throws {
        #expect(try AllowedHosts().permits(host))
    }

    @Test(
        "names are not",
        arguments: [
            "evil.example", "evil.example:8080", "localhost.evil.example", "localhostevil.example", "evillocalhost",
            "127.0.0.1.evil.example", "127.0.0.1.nip.io:8080", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1..2.3", "1.2.3.",
            "[]", "[evil.example]", "", ".", ":8080", "0x7f.1", "2130706433", ".localhost",
        ])
    func foreign(host: String) throws {
        #expect(try !AllowedHosts().permits(host))
    }

    @Test("names in the setting are allowed, and their subdomains with a star")
    func listed() throws {
        let hosts = try AllowedHosts(["Zoo.example", "*.zoo.test"])
        for host in ["zoo.example", "ZOO.example:443", "zoo.example.", "a.zoo.test", "a.b.zoo.test:1"] {
            #expect(hosts.permits(host), "\(host)")
        }
        for host in ["www.zoo.example", "zoo.test", "evilzoo.test", "evilzoo.example", "zoo.example.evil"] {
            #expect(!hosts.permits(host), "\(host)")
        }
        #expect(try AllowedHosts(["*"]).permits("evil.example"))
    }

    @Test(
        "what is not a name is refused by its text",
        arguments: ["https://zoo.example", "zoo.example:80", "", "a b", "z*o"])
    func invalid(name: String) {
        let error = #expect(throws: AllowedHosts.InvalidHost.self) { try AllowedHosts([name]) }
        #expect(error?.text == name)
    }

    @Test("the machine's own name is allowed")
    func machine() throws {
        var buffer = [CChar](repeating: 0, count: 256)
        #expect(gethostname(&buffer, 255) == 0)
        let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var hosts = try AllowedHosts()
        #expect(!hosts.permits(name) || name == "localhost")
        hosts.allowMachineName()
        #expect(hosts.permits(name + ":8080"))
        #expect(hosts.permits(name.prefix { $0 != "." } + ".local"))
        #expect(!hosts.permits("x" + name))
    }
}
