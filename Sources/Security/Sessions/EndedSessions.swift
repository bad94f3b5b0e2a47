import Foundation

/// A session that was ended early, or all earlier sessions of a key.
struct EndedSession: Hashable, Sendable {
    /// See ``KeyDigest/identifier``; nil in rows of releases that did not store it.
    let key: UInt64?
    /// The session's number; nil stands for every session of the key that expires by `expires`.
    let number: UInt64?
    /// The time when the session would have expired.
    let expires: Date
}

/// The sessions that were ended early.
///
/// The holder of a key can begin and end any number of sessions, so each key has room for a fixed number of entries. An
/// entry goes when its session would have expired. If a key needs more room, all its earlier sessions end. So signing
/// out always works, and no key takes the room of another.
struct EndedSessions {
    /// The largest number of entries for one key.
    static let limit = 1000

    private struct OfKey {
        var sessions: [UInt64: Date] = [:]
        /// Every session that expires by this time was ended.
        var all = Date.distantPast
    }

    private var keys: [UInt64?: OfKey] = [:]

    func contains(_ session: SessionToken) -> Bool {
        if keys[nil]?.sessions[session.number] != nil { return true }
        guard let ended = keys[session.key.digest.identifier] else { return false }
        return ended.sessions[session.number] != nil || session.expires <= ended.all
    }

    /// The earliest expiry that a new session of the key may have.
    func earliestExpiry(of key: UInt64) -> Date { (keys[key]?.all ?? .distantPast) + 1 }

    /// - Returns: an entry for all the key's sessions, if the key has run out of room.
    @discardableResult mutating func note(_ session: EndedSession, now: Date) -> EndedSession? {
        // A new key is rare, so this is a cheap moment to clean up the others.
        if keys[session.key] == nil {
            keys = keys.filter { $0.value.all > now || $0.value.sessions.values.contains { $0 > now } }
        }
        var ended = keys[session.key] ?? OfKey()
        defer { keys[session.key] = ended }
        guard let number = session.number else {
            ended.all = max(ended.all, session.expires)
            ended.sessions = ended.sessions.filter { $0.value > ended.all }
            return nil
        }
        guard session.expires > max(now, ended.all), ended.sessions.updateValue(session.expires, forKey: number) == nil,
            ended.sessions.count > Self.limit
        else { return nil }
        ended.sessions = ended.sessions.filter { $0.value > now }
        guard ended.sessions.count > Self.limit, let last = ended.sessions.values.max() else { return nil }
        (ended.all, ended.sessions) = (last, [:])
        return EndedSession(key: session.key, number: nil, expires: last)
    }
}
