import CVips
import CVipsLibrary
import Dispatch
import Synchronization

/// Owns one reference to a `VipsImage` and the references of what it was made from go with it.
final class VipsImageHandle {
    let pointer: UnsafeMutablePointer<VipsImage>

    /// Takes over what a wrapper put into its out parameter.
    ///
    /// - Throws: ``ImagingError/corrupt(_:)`` with libvips' own words.
    init(_ make: (UnsafeMutablePointer<UnsafeMutablePointer<VipsImage>?>) -> Int32) throws(ImagingError) {
        var image: UnsafeMutablePointer<VipsImage>?
        guard make(&image) == 0, let image else { throw VipsLibrary.failure() }
        pointer = image
    }

    deinit { menagerie_vips_unref(pointer) }

    var width: Int { Int(vips_image_get_width(pointer)) }
    var height: Int { Int(vips_image_get_height(pointer)) }
    var bands: Int { Int(vips_image_get_bands(pointer)) }
    var format: VipsBandFormat { vips_image_get_format(pointer) }
    var hasAlpha: Bool { vips_image_hasalpha(pointer) != 0 }
    var hasProfile: Bool { has("icc-profile-data") }

    /// The orientation tag, 1–8, or `.up`.
    var orientation: Orientation { Orientation(rawValue: Int(vips_image_get_orientation(pointer))) ?? .up }

    func has(_ field: String) -> Bool { vips_image_get_typeof(pointer, field) != 0 }

    /// The contents of a binary field; nil where there is none.
    func bytes(of field: String) -> [UInt8]? {
        var data: UnsafeRawPointer?
        var count = 0
        guard has(field), vips_image_get_blob(pointer, field, &data, &count) == 0 else { return nil }
        return [UInt8](UnsafeRawBufferPointer(start: data, count: count))
    }

    /// Makes whoever asks for further rows fail once so many seconds are over.
    func stop(after seconds: Double) -> DispatchWorkItem {
        let item = DispatchWorkItem { [weak self] in
            guard let self else { return }
            wasStopped.store(true, ordering: .relaxed)
            vips_image_set_kill(pointer, 1)
        }
        Self.clock.asyncAfter(deadline: .now() + seconds, execute: item)
        return item
    }

    /// Whether the time of `stop(after:)` was over.
    var isStopped: Bool { wasStopped.load(ordering: .relaxed) }

    /// libvips forgets it as soon as it has stopped.
    private let wasStopped = Atomic(false)

    private static let clock = DispatchQueue(label: "menagerie.imaging.clock", qos: .userInitiated)

    /// The image after one more operation.
    func applying(
        _ operation: (UnsafeMutablePointer<VipsImage>, UnsafeMutablePointer<UnsafeMutablePointer<VipsImage>?>) -> Int32
    ) throws(ImagingError) -> VipsImageHandle {
        try VipsImageHandle { operation(pointer, $0) }
    }
}
