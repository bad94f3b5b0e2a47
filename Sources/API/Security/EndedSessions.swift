import Foundation

/// A session that was ended before its time, or all of a key's sessions of before.
struct EndedSession: Hashable, Sendable {
    /// See ``KeyDigest/identifier``; nil in rows of releases that did not keep it.
    let key: UInt64?
    /// nil: every session of the key that is over by `expires`.
    let number: UInt64?
    /// When it would have been over by itself.
    let expires: Date
}

/// The sessions that were ended before their time.
///
/// The holder of a key can begin and end any number of sessions. So each key has room for a fixed number of them. An entry
/// goes when its session would have been over by itself. A key that needs more room loses all sessions that it had until
/// then. Signing out therefore always works, and no key takes the room of another.
struct EndedSessions {
    /// Of one key.
    static let limit = 1000

    private struct OfKey {
        var sessions: [UInt64: Date] = [:]
        /// Every session that is over by then was ended.
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

    /// - Returns: what stands for all the key's sessions from now on, where it had more than there is room for.
    @discardableResult mutating func note(_ session: EndedSession, now: Date) -> EndedSession? {
        // A new key is rare enough for a look at the others.
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
