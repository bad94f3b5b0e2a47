extension Array where Element: Comparable {
    /// The number of elements below a value, by binary search. The elements are in ascending order.
    package func count(below value: Element) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
