extension Array {
    /// The number of elements at the beginning that fulfil a condition, by binary search. No later element fulfils it.
    package func leadingCount(where isLeading: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isLeading(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
