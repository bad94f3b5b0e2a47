/// The interfaces for other programs that are open.
package struct ConnectionOptions: Sendable {
    /// Whether `/v1/vision` answers like DeepStack and CodeProject.AI.
    package var deepStack: Bool
    /// Whether `/api/v1/vision/labels` answers PhotoPrism.
    package var photoPrism: Bool

    package init(deepStack: Bool = false, photoPrism: Bool = false) {
        self.deepStack = deepStack
        self.photoPrism = photoPrism
    }
}
