#pragma once

// OpenVINO's C API; its variadic functions, which Swift cannot call, have one wrapper each, no logic.
#include <openvino/c/openvino.h>
