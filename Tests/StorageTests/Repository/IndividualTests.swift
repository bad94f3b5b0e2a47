import Base
import Testing

@testable import Storage

@Suite("Every store: what animals are called") struct IndividualTests {
    @Test(arguments: TestedStore.allCases) func aNameIsKeptFoundAndCleared(store: TestedStore) async throws {
        try await store.withRepository { repository in
            var ids: [ULID] = []
            for _ in 0..<4 {
                ids.append(try await repository.save(.fixture(), photo: nil, idempotencyKey: nil).id)
            }
            for (id, name) in zip(ids, ["Misu", "Felix", "Misu"]) {
                let named = try await repository.update(id: id, ScanUpdate(individual: .set(name)))
                #expect(named.individual == name)
            }
            let misu = try await repository.page(HistoryQuery(individual: "Misu"))
            #expect(misu.items.map(\.id) == [ids[2], ids[0]] && misu.total == 2)
            #expect(try await repository.page(HistoryQuery(named: true)).total == 3)
            #expect(try await repository.page(HistoryQuery(named: false)).items.map(\.id) == [ids[3]])
            // Another correction leaves the name unchanged.
            let corrected = try await repository.update(id: ids[0], ScanUpdate(correctedLabel: .set("korat")))
            #expect(corrected.individual == "Misu")
            #expect(try await repository.scan(id: ids[0]).individual == "Misu")
            #expect(try await repository.update(id: ids[0], ScanUpdate(individual: .clear)).individual == nil)
            #expect(try await repository.page(HistoryQuery(individual: "Misu")).total == 1)
        }
    }

    /// Apple's programs write “ö” as two characters, and keyboards of phones add a space.
    @Test(arguments: TestedStore.allCases) func oneNameIsOneAnimalHoweverItIsWritten(store: TestedStore) async throws {
        try await store.withRepository { repository in
            for name in ["H\u{F6}p\u{F6}", "Ho\u{308}po\u{308}", " H\u{F6}p\u{F6} "] {
                let id = try await repository.save(.fixture(), photo: nil, idempotencyKey: nil).id
                _ = try await repository.update(id: id, ScanUpdate(individual: .set(name)))
            }
            #expect(try await repository.namedAnimals().map(\.count) == [3])
            for name in ["H\u{F6}p\u{F6}", "Ho\u{308}po\u{308}"] {
                #expect(try await repository.page(HistoryQuery(individual: name)).total == 3)
            }
        }
    }

    /// A zero-width space, marks of direction, a line separator, a C1 control and a noncharacter, as copied texts have.
    @Test func invisibleCharactersMakeNoOtherAnimal() async throws {
        try await TestedStore.sqlite.withRepository { repository in
            for name in [
                "Misu", "Mi\u{200B}su", "\u{2067}Misu\u{2069}", "Mi\u{202E}su\u{2028}", "Misu\u{85}", "Mi\u{FFFF}su",
            ] {
                let id = try await repository.save(.fixture(), photo: nil, idempotencyKey: nil).id
                _ = try await repository.update(id: id, ScanUpdate(individual: .set(name)))
            }
            #expect(try await repository.namedAnimals().map(\.name) == ["Misu"])
            // Persian words have such characters inside.
            let id = try await repository.save(.fixture(), photo: nil, idempotencyKey: nil).id
            let persian = try await repository.update(id: id, ScanUpdate(individual: .set("می\u{200C}خواهم")))
            #expect(persian.individual == "می\u{200C}خواهم")
        }
    }

    @Test(arguments: TestedStore.allCases) func whoHasANameIsListedAtOnce(store: TestedStore) async throws {
        try await store.withRepository { repository in
            #expect(try await repository.namedAnimals() == [])
            let kinds = [("cat", "Misu"), ("dog", "Rex"), ("cat", "Rex"), ("dog", "Rex"), ("cat", nil)]
            var ids: [ULID] = []
            for (species, name) in kinds {
                let id = try await repository.save(.fixture(species: species), photo: nil, idempotencyKey: nil).id
                ids.append(id)
                if let name { _ = try await repository.update(id: id, ScanUpdate(individual: .set(name))) }
            }
            let misu = NamedAnimal(name: "Misu", species: "cat", count: 1)
            #expect(try await repository.namedAnimals() == [misu, NamedAnimal(name: "Rex", species: "dog", count: 3)])
            let deletion = try await repository.delete(ids: [ids[1], ids[3]])
            #expect(try await repository.namedAnimals() == [misu, NamedAnimal(name: "Rex", species: "cat", count: 1)])
            _ = try await repository.update(id: ids[2], ScanUpdate(individual: .clear))
            #expect(try await repository.namedAnimals() == [misu])
            _ = try await repository.undo(deletion.id)
            #expect(try await repository.namedAnimals() == [misu, NamedAnimal(name: "Rex", species: "dog", count: 2)])
        }
    }

    @Test(arguments: TestedStore.allCases) func aNameComesBackWithItsScan(store: TestedStore) async throws {
        try await store.withRepository { repository in
            let saved = try await repository.save(.fixture(), photo: nil, idempotencyKey: nil)
            let named = try await repository.update(id: saved.id, ScanUpdate(individual: .set("Misu")))
            let deletion = try await repository.delete(id: saved.id)
            #expect(try await repository.undo(deletion.id) == 1)
            #expect(try await repository.scan(id: saved.id) == named)
            // The imports replace a deleted scan and add a missing one.
            _ = try await repository.delete(id: saved.id)
            var other = Scan.fixture()
            other.individual = "Felix"
            #expect(try await repository.insert([named, other]) == 2)
            #expect(try await repository.scan(id: saved.id).individual == "Misu")
            #expect(try await repository.scan(id: other.id).individual == "Felix")
        }
    }

    @Test(arguments: TestedStore.allCases) func anImportedNameIsSpeltAsOneThatIsGiven(store: TestedStore) async throws {
        try await store.withRepository { repository in
            var scans = [Scan.fixture(), .fixture(), .fixture()]
            (scans[0].individual, scans[1].individual) = ("Mäyrä", "Ma\u{308}yra\u{308}")
            scans[2].individual = " Mäyrä "
            #expect(try await repository.insert(scans) == 3)
            #expect(try await repository.page(HistoryQuery(individual: "Mäyrä")).total == 3)
            let names = try await repository.namedAnimals().map { Array($0.name.utf8) }
            #expect(names == [Array("M\u{E4}yr\u{E4}".utf8)])
        }
    }

    @Test(arguments: ["", "   ", "a/b", "two\nlines", String(repeating: "m", count: 201)])
    func whatIsNoNameIsRefused(name: String) async throws {
        try await TestedStore.sqlite.withRepository { repository in
            let scan = try await repository.save(.fixture(), photo: nil, idempotencyKey: nil)
            await #expect(throws: HistoryError.self) {
                try await repository.update(id: scan.id, ScanUpdate(individual: .set(name)))
            }
            #expect(try await repository.scan(id: scan.id).individual == nil)
        }
    }
}
