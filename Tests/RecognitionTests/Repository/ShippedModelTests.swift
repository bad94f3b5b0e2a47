import Foundation
import Testing
@testable import Recognition

@Suite struct ShippedModelTests {
    /// New weights must be listed. Otherwise each new installation tries them first.
    @Test func everyModelThatComesWithTheProgramIsListed() throws {
        let store = ModelStore(root: TestModels.directory)
        #expect(store.names.count >= 2)
        for name in store.names {
            let manifest = try store.open(name).manifest
            let files =
                [manifest.sha256, manifest.weightsSHA256].compactMap(\.self) + (manifest.cascade?.digests ?? [])
            #expect(ShippedModels.includes(manifest), "ShippedModels.digests lacks one of \(files) of \(name)")
        }
        let used = try store.names.flatMap { name in
            let manifest = try store.open(name).manifest
            return [manifest.sha256, manifest.weightsSHA256].compactMap(\.self) + (manifest.cascade?.digests ?? [])
        }
        #expect(ShippedModels.digests == Set(used))
    }
}
