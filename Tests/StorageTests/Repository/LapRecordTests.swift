import Base
import Testing

@testable import Storage

@Suite("Every store: lap timers are kept with their pictures") struct LapRecordTests {
    @Test(arguments: TestedStore.allCases) func whatIsSavedIsThereUntilItIsDeleted(store: TestedStore) async throws {
        try await store.withRepository(clock: TestClock()) { repository in
            let (first, second) = (ULID.next(), ULID.next())
            #expect(try await repository.laps().isEmpty)
            try await repository.saveLaps(LapRecord(id: first, document: #"{"name":"Mantšuriankurki"}"#))
            try await repository.saveLaps(LapRecord(id: second, document: "{}"))
            try await repository.saveLaps(LapRecord(id: second, document: "[1]"))
            #expect(
                try await repository.laps() == [
                    LapRecord(id: second, document: "[1]"),
                    LapRecord(id: first, document: #"{"name":"Mantšuriankurki"}"#),
                ])
            let photo = [UInt8](0...255)
            try await repository.saveLapPhoto([1], session: first, lap: 1)
            try await repository.saveLapPhoto(photo, session: first, lap: 1)
            try await repository.saveLapPhoto([2], session: second, lap: 1)
            #expect(try await repository.lapPhoto(session: first, lap: 1) == photo)
            #expect(try await repository.lapPhoto(session: first, lap: 2) == nil)
            try await repository.deleteLapPhoto(session: second, lap: 1)
            #expect(try await repository.lapPhoto(session: second, lap: 1) == nil)
            try await repository.deleteLaps(id: first)
            try await repository.deleteLaps(id: first)
            #expect(try await repository.laps().map(\.id) == [second])
            #expect(try await repository.lapPhoto(session: first, lap: 1) == nil)
        }
    }

    @Test(arguments: TestedStore.allCases) func whatIsDeletedIsNotWrittenBack(store: TestedStore) async throws {
        try await store.withRepository(clock: TestClock()) { repository in
            let id = ULID.next()
            try await repository.saveLaps(LapRecord(id: id, document: "{}"))
            #expect(try await repository.changeLaps(LapRecord(id: id, document: "[1]")))
            #expect(try await repository.laps() == [LapRecord(id: id, document: "[1]")])
            try await repository.deleteLaps(id: id)
            #expect(try await !repository.changeLaps(LapRecord(id: id, document: "[2]")))
            try await repository.saveLapPhoto([1], session: id, lap: 1)
            #expect(try await repository.laps().isEmpty)
            #expect(try await repository.lapPhoto(session: id, lap: 1) == nil)
        }
    }
}
