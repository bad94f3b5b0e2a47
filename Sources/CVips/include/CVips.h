#pragma once

// libvips' operations are variadic, which Swift cannot call: one wrapper each, no logic.
#include <vips/vips.h>
