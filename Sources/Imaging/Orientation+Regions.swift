extension Orientation {
    /// The region of the stored picture that shows a region of the upright one. Both are in fractions.
    package func stored(_ region: PictureRegion) -> PictureRegion {
        let (left, right) = swapsSides ? (region.y, region.bottom) : (region.x, region.right)
        let (top, bottom) = swapsSides ? (region.x, region.right) : (region.y, region.bottom)
        return PictureRegion(
            left: reversesColumns ? 1 - right : left, top: reversesRows ? 1 - bottom : top,
            right: reversesColumns ? 1 - left : right, bottom: reversesRows ? 1 - top : bottom)
    }
}
