import Foundation
import TestSupport
import Testing

@testable import Menagerie

@Suite struct DataDirectoryTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func directory(
        _ environment: [String: String], flags: [String: String] = [:]
    ) throws -> DataDirectory {
        try DataDirectory(Settings(flags: flags), environment: environment, currentDirectory: folder.path)
    }

    @Test func thePlatformSaysWhereItIs() throws {
        #expect(try directory(["HOME": "/home/ada"]).path == "/home/ada/.local/share/menagerie")
        #expect(try directory(["HOME": "/home/ada", "XDG_DATA_HOME": "/xdg"]).path == "/xdg/menagerie")
        // The specification says that relative paths are ignored.
        #expect(
            try directory(["HOME": "/home/ada", "XDG_DATA_HOME": "xdg"]).path == "/home/ada/.local/share/menagerie")
        let chosen = try directory(["HOME": "/home/ada"], flags: ["history.data_directory": "here"])
        #expect(chosen.path == "here" && chosen.notice == nil)
    }

    @Test(arguments: [[:], ["HOME": ""], ["HOME": "ada", "XDG_DATA_HOME": ""]])
    func withoutAHomeItHasToBeNamed(environment: [String: String]) throws {
        let error = try #require(throws: SettingsError.self) { try directory(environment) }
        #expect(error.description.contains("history.data_directory") && error.description.contains("HOME"))
        let chosen = try directory(environment, flags: ["history.data_directory": "/srv/menagerie"])
        #expect(chosen.path == "/srv/menagerie")
    }

    @Test(arguments: ["data/history.sqlite", "data/photos/incoming/x"])
    func aHistoryInTheCurrentFolderIsStillUsed(file: String) throws {
        try folder.write([1], file)
        let home = folder.path + "/home"
        let found = try directory(["HOME": home])
        #expect(found.path == folder.path + "/data")
        let notice = try #require(found.notice)
        #expect(notice.contains("mv \(folder.path)/data/history.sqlite*"))
        #expect(notice.contains(home + "/.local/share/menagerie"))
        // It is used even if no other place is determined.
        #expect(try directory([:]).path == folder.path + "/data")
        // A folder of that name without a history does not count.
        let other = try TemporaryFolder()
        try other.write([1], "data/notes.txt")
        let plain = try DataDirectory(Settings(), environment: ["HOME": home], currentDirectory: other.path)
        #expect(plain.path == home + "/.local/share/menagerie" && plain.notice == nil)
    }

    @Test func whereThereAreTwoThePlatformsIsUsedAndTheOtherNamed() throws {
        try folder.write([1], "data/history.sqlite")
        try folder.write([1], "home/.local/share/menagerie/history.sqlite")
        let found = try directory(["HOME": folder.path + "/home"])
        #expect(found.path == folder.path + "/home/.local/share/menagerie")
        #expect(found.notice?.contains("menagerie restore \(folder.path)/data") == true)
    }
}
