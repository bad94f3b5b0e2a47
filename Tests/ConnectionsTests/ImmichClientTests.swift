import Testing

@testable import Connections

@Suite struct ImmichClientTests {
    @Test(arguments: ["immich:2283", "ftp://me:geheim@immich", "http://me:geheim@immich?a=b", "http://immich#a"])
    func whatIsNoAddressIsToldWithoutItsPassword(address: String) throws {
        let error = try #require(throws: ImmichError.self) { _ = try ImmichClient(address: address, key: "k") }
        #expect("\(error)".contains("immich") && !"\(error)".contains("geheim"))
    }

    @Test func aServerThatIsNotReachedIsNamedWithoutItsPassword() async throws {
        // Nothing listens there.
        let client = try ImmichClient(address: "http://me:geheim@127.0.0.1:1", key: "k")
        let error = try await #require(throws: ImmichError.self) { _ = try await client.photos(page: 1, since: nil) }
        #expect("\(error)".contains("127.0.0.1:1") && !"\(error)".contains("geheim"))
    }
}
