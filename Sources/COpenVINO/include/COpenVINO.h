#pragma once

// OpenVINO's C API; its variadic functions, which Swift cannot call, have one wrapper each, no logic.
#include <openvino/c/openvino.h>

/// `ov_core_set_property` with one key.
static inline ov_status_e menagerie_core_set_property(
    const ov_core_t *core, const char *device, const char *key, const char *value) {
    return ov_core_set_property(core, device, key, value);
}
