extension ModelRepository {
    /// The result of making room for a model.
    enum Room: Sendable {
        /// These models were evicted.
        case made([LoadedModel])
        /// The model would not fit even if all others that may go were evicted.
        case tooSmall(limit: Int)
        case stopped
    }
}

extension ModelRepository.State {
    /// Evicts the least recently used models until the new one fits the limit.
    ///
    /// - Parameter limit: the most bytes of all loaded models. Nil sets no limit.
    mutating func makeRoom(
        for model: LoadedModel, at key: ModelRepository.Key, within limit: Int?
    ) -> ModelRepository.Room {
        guard let limit else { return .made([]) }
        let others = slots.filter { $0.key != key }
        var excess = others.values.reduce(model.memory) { $0 + $1.model.memory } - limit
        var evicted: [ModelRepository.Key] = []
        for (other, slot) in others.sorted(by: { $0.value.lastUse < $1.value.lastUse }) where excess > 0 {
            let isPinned = other.name == defaultName && other.version == active[other.name]
            guard !isPinned else { continue }
            evicted.append(other)
            excess -= slot.model.memory
        }
        guard excess <= 0 else { return .tooSmall(limit: limit) }
        return .made(evicted.compactMap { slots.removeValue(forKey: $0)?.model })
    }

    /// Counts a use of the referenced model, if it is loaded, and notes the time.
    mutating func take(_ reference: ModelReference) -> LoadedModel? {
        guard let version = reference.version ?? active[reference.name] else { return nil }
        let key = ModelRepository.Key(name: reference.name, version: version)
        guard let model = slots[key]?.model else { return nil }
        slots[key]?.lastUse = .now
        model.take()
        return model
    }
}
