import Base
import Storage

/// The keys in a PostgreSQL database that several services share.
package struct SharedKeys: KeyRepository {
    private static let path = "keys.json"

    package let place = "the PostgreSQL database"
    let files: SharedFiles

    /// Opens its own connection.
    package static func open(connectionString: String) async throws(KeyError) -> SharedKeys {
        do {
            return SharedKeys(files: try await SharedFiles.open(connectionString: connectionString))
        } catch {
            throw .unreadable("the PostgreSQL database", "\(error)")
        }
    }

    package func read() async throws(KeyError) -> [UInt8]? {
        do {
            return try await files.file(Self.path).flatMap { $0.isEmpty ? nil : $0 }
        } catch {
            throw .unreadable(place, "\(error)")
        }
    }

    package func change(
        _ body: @escaping @Sendable ([UInt8]?) throws(KeyError) -> [UInt8]?
    ) async throws(KeyError) {
        let refusal = Locked<KeyError?>(nil)
        do {
            _ = try await files.change(Self.path, initially: []) { document in
                do throws(KeyError) {
                    return try body(document.isEmpty ? nil : document) ?? document
                } catch {
                    refusal.withLock { $0 = error }
                    throw error
                }
            }
        } catch {
            throw refusal.withLock { $0 } ?? .unwritable(place, "\(error)")
        }
    }

    /// Copies the keys of an older key file into the database, if the database never had any. So a key that was removed
    /// from the database does not come back with a copy of the file.
    /// - Returns: whether the keys were copied.
    package func adopt(_ file: KeyFile) async throws(KeyError) -> Bool {
        guard let document = try file.read() else { return false }
        guard try await read() == nil else { return false }
        _ = try KeyDocument.keys(in: document, of: file.place)
        try await change { earlier throws(KeyError) in earlier == nil ? document : nil }
        return true
    }
}
