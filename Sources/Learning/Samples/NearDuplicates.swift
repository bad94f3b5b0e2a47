/// Groups photos that are nearly the same.
package enum NearDuplicates {
    /// The most differing bits of two photos that count as the same picture, scaled or compressed again.
    package static let maximumDistance = 6

    /// The group of each photo: the index of the group's first photo. Groups are transitive.
    package static func groups(of hashes: [PerceptualHash]) -> [Int] {
        var parents = Array(hashes.indices)
        func root(_ index: Int) -> Int {
            var index = index
            while parents[index] != index {
                parents[index] = parents[parents[index]]
                index = parents[index]
            }
            return index
        }
        let bits = hashes.map(\.bits)
        bits.withUnsafeBufferPointer { bits in
            for left in bits.indices {
                for right in left + 1..<max(left + 1, bits.count)
                where (bits[left] ^ bits[right]).nonzeroBitCount <= maximumDistance {
                    let (first, second) = (root(left), root(right))
                    if first != second { parents[max(first, second)] = min(first, second) }
                }
            }
        }
        return parents.indices.map(root)
    }
}
