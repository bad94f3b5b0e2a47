import API
import Foundation
import Storage
import Testing

@testable import Menagerie

@Suite struct HistorySettingsTests {
    @Test func defaultsKeepEverythingInSQLite() throws {
        let configuration = try HistoryConfiguration(Settings())
        guard case .sqlite = configuration.backend else {
            Issue.record("The default backend is \(configuration.backend)")
            return
        }
        #expect(configuration.retention == RetentionPolicy())
        #expect(configuration.options.undoGrace == 600)
        let photos = try BreedPhotoOptions(Settings())
        #expect(photos.directory == nil && !photos.includesOwnScans && photos.dogCEO == nil)
    }

    @Test func limitsAndServerAreRead() throws {
        let settings = try Settings(flags: [
            "history.backend": "postgresql", "history.postgresql_url": "postgresql://menagerie@localhost/menagerie",
            "history.keep_days": "2.5", "history.keep_bytes": "1000", "history.undo_grace_s": "60",
        ])
        let configuration = try HistoryConfiguration(settings)
        guard case .postgreSQL(let address) = configuration.backend else {
            Issue.record("The backend is \(configuration.backend)")
            return
        }
        #expect(address == "postgresql://menagerie@localhost/menagerie")
        #expect(configuration.retention == RetentionPolicy(maximumAge: 216_000, maximumBytes: 1000))
        #expect(configuration.options.undoGrace == 60)
    }

    @Test func whatIsMissingOrWrongIsNamed() throws {
        let server = try Settings(flags: ["history.backend": "postgresql"])
        let missing = #expect(throws: SettingsError.self) { try HistoryConfiguration(server) }
        #expect(missing?.description.contains("history.postgresql_url") == true)
        let folder = try Settings(flags: ["encyclopaedia.photos_directory": "/nowhere/at/all"])
        let absent = #expect(throws: SettingsError.self) { try BreedPhotoOptions(folder) }
        #expect(absent?.description.contains("encyclopaedia.photos_directory") == true)
        let address = try Settings(flags: ["encyclopaedia.allow_dog_ceo": "true", "encyclopaedia.dog_ceo_url": "dog"])
        let wrong = #expect(throws: SettingsError.self) { try BreedPhotoOptions(address) }
        #expect(wrong?.description.contains("encyclopaedia.dog_ceo_url") == true)
    }
}
