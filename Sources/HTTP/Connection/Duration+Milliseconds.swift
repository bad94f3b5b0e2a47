extension Duration {
    /// Rounded down, but at least 1.
    var wholeMilliseconds: UInt64 {
        let (seconds, attoseconds) = components
        return UInt64(max(1, seconds * 1000 + attoseconds / 1_000_000_000_000_000))
    }
}
