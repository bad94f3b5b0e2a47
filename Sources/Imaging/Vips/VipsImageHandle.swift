import CVips
import CVipsLibrary
import Dispatch
import Synchronization

/// Owns one reference to a `VipsImage`, which holds references to its source images.
final class VipsImageHandle {
    let pointer: UnsafeMutablePointer<VipsImage>

    /// Takes over the image that a wrapper put into its out parameter.
    ///
    /// - Throws: ``ImagingError/corrupt(_:)`` with libvips' own text.
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
    /// Whether there is a colour profile of a device, and it is for as many colours as the image has (ICC.1:2022
    /// §7.2.6). libvips would take the other bands for transparency, and converts Lab and XYZ wrongly by a profile.
    var hasFittingProfile: Bool {
        guard let profile = bytes(of: "icc-profile-data"), profile.count >= 20 else { return false }
        let space = String(decoding: profile[16..<20], as: UTF8.self)
        return ["GRAY": 1, "RGB ": 3, "CMYK": 4][space] == bands - (hasAlpha ? 1 : 0)
    }

    /// The orientation tag, 1–8; `.up` for other values.
    var orientation: Orientation { Orientation(rawValue: Int(vips_image_get_orientation(pointer))) ?? .up }

    func has(_ field: String) -> Bool { vips_image_get_typeof(pointer, field) != 0 }

    /// The contents of a binary field; nil if it is absent.
    func bytes(of field: String) -> [UInt8]? {
        var data: UnsafeRawPointer?
        var count = 0
        guard has(field), vips_image_get_blob(pointer, field, &data, &count) == 0 else { return nil }
        return [UInt8](UnsafeRawBufferPointer(start: data, count: count))
    }

    /// After this time, makes every request for further rows fail.
    func stop(after seconds: Double) -> DispatchWorkItem {
        let item = DispatchWorkItem { [weak self] in
            guard let self else { return }
            wasStopped.store(true, ordering: .relaxed)
            vips_image_set_kill(pointer, 1)
        }
        Self.clock.asyncAfter(deadline: .now() + seconds, execute: item)
        return item
    }

    /// Whether the time of `stop(after:)` has passed.
    var isStopped: Bool { wasStopped.load(ordering: .relaxed) }

    /// A flag of our own, because libvips clears its own when it has stopped.
    private let wasStopped = Atomic(false)

    private static let clock = DispatchQueue(label: "menagerie.imaging.clock", qos: .userInitiated)

    /// The image after one more operation.
    func applying(
        _ operation: (UnsafeMutablePointer<VipsImage>, UnsafeMutablePointer<UnsafeMutablePointer<VipsImage>?>) -> Int32
    ) throws(ImagingError) -> VipsImageHandle {
        try VipsImageHandle { operation(pointer, $0) }
    }
}
