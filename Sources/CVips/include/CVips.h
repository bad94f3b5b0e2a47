#pragma once

// libvips' operations are variadic, which Swift cannot call: one wrapper each, no logic.
#include <vips/vips.h>

/// VIPS_INIT is a macro with a check of the struct sizes; 0 on success.
int menagerie_vips_init(const char *name);

// Loaders: rows from top to bottom where the format allows it, first page or frame, truncated or broken data is an
// error. 0 on success; `out` is then owned by the caller. The bytes must outlive `out`.
int menagerie_vips_pngload(const void *bytes, size_t count, VipsImage **out);
int menagerie_vips_webpload(const void *bytes, size_t count, VipsImage **out);
int menagerie_vips_gifload(const void *bytes, size_t count, VipsImage **out);
int menagerie_vips_tiffload(const void *bytes, size_t count, VipsImage **out);
int menagerie_vips_heifload(const void *bytes, size_t count, VipsImage **out);
int menagerie_vips_jpegload(const void *bytes, size_t count, int shrink, VipsImage **out);

// Operations: 0 on success; `out` is then owned by the caller and holds a reference to `in`.
int menagerie_vips_shrink(VipsImage *in, VipsImage **out, int columns, int rows);
int menagerie_vips_icc_to_srgb(VipsImage *in, VipsImage **out);
int menagerie_vips_colourspace_srgb(VipsImage *in, VipsImage **out);
int menagerie_vips_flatten_on_white(VipsImage *in, VipsImage **out);
int menagerie_vips_cast_uchar(VipsImage *in, VipsImage **out);
int menagerie_vips_extract_bands(VipsImage *in, VipsImage **out, int first, int count);

/// g_object_unref takes an untyped pointer.
void menagerie_vips_unref(VipsImage *image);
