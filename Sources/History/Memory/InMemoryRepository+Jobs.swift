internal import Base

extension InMemoryRepository {
    func notify(_ text: String) async throws(HistoryError) {}

    func saveJob(_ job: JobRow) async throws(HistoryError) {
        try access { state in state.jobs[job.id] = job }
    }

    func updateJob(_ job: JobRow, unless states: [String]) async throws(HistoryError) -> Bool {
        try access { state in
            guard let earlier = state.jobs[job.id], earlier.kind == job.kind, !states.contains(earlier.state) else {
                return false
            }
            state.jobs[job.id] = job
            return true
        }
    }

    func job(_ kind: String, id: ULID) async throws(HistoryError) -> JobRow? {
        try access { state in state.jobs[id].flatMap { $0.kind == kind ? $0 : nil } }
    }

    func jobs(_ kind: String, limit: Int, older: ULID?) async throws(HistoryError) -> JobPage {
        try access { state in
            let all = state.jobs.values.filter { $0.kind == kind }.sorted { $0.id > $1.id }
            let rest = all.filter { job in older.map { job.id < $0 } ?? true }
            return JobPage(
                items: Array(rest.prefix(max(1, limit))), total: all.count, hasMore: rest.count > max(1, limit))
        }
    }

    func removeJob(_ kind: String, id: ULID) async throws(HistoryError) -> Bool {
        try access { state in
            guard state.jobs[id]?.kind == kind else { return false }
            state.jobs[id] = nil
            return true
        }
    }
}
