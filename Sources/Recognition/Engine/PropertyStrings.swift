import COpenVINO
import Glibc

/// Keys and values as C strings that live as long as this object.
final class PropertyStrings {
    let pairs: [ov_property_t]

    init(_ properties: [(key: String, value: String)]) {
        pairs = properties.map { ov_property_t(key: strdup($0.key), value: strdup($0.value)) }
    }

    deinit {
        for pair in pairs {
            free(UnsafeMutableRawPointer(mutating: pair.key))
            free(UnsafeMutableRawPointer(mutating: pair.value))
        }
    }
}
