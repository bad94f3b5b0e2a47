internal import Base

extension InMemoryRepository {
    func saveLaps(_ record: LapRecord) async throws(HistoryError) {
        try access { $0.laps[record.id] = record }
    }

    func laps() async throws(HistoryError) -> [LapRecord] {
        try access { $0.laps.values.sorted { $0.id > $1.id } }
    }

    func deleteLaps(id: ULID) async throws(HistoryError) {
        try access { state in
            state.laps[id] = nil
            state.lapPhotos[id] = nil
        }
    }

    func saveLapPhoto(_ photo: [UInt8], session: ULID, lap: Int) async throws(HistoryError) {
        try access { $0.lapPhotos[session, default: [:]][lap] = photo }
    }

    func lapPhoto(session: ULID, lap: Int) async throws(HistoryError) -> [UInt8]? {
        try access { $0.lapPhotos[session]?[lap] }
    }

    func deleteLapPhoto(session: ULID, lap: Int) async throws(HistoryError) {
        try access { $0.lapPhotos[session]?[lap] = nil }
    }
}
