#include "CVips.h"

int menagerie_vips_init(const char *name) { return VIPS_INIT(name); }

#define LOAD "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", VIPS_FAIL_ON_ERROR

int menagerie_vips_pngload(const void *bytes, size_t count, VipsImage **out) {
    return vips_pngload_buffer((void *)bytes, count, out, LOAD, NULL);
}

int menagerie_vips_webpload(const void *bytes, size_t count, VipsImage **out) {
    return vips_webpload_buffer((void *)bytes, count, out, LOAD, NULL);
}

int menagerie_vips_gifload(const void *bytes, size_t count, VipsImage **out) {
    return vips_gifload_buffer((void *)bytes, count, out, LOAD, NULL);
}

int menagerie_vips_tiffload(const void *bytes, size_t count, VipsImage **out) {
    return vips_tiffload_buffer((void *)bytes, count, out, LOAD, NULL);
}

int menagerie_vips_heifload(const void *bytes, size_t count, VipsImage **out) {
    return vips_heifload_buffer((void *)bytes, count, out, LOAD, NULL);
}

int menagerie_vips_jpegload(const void *bytes, size_t count, int shrink, VipsImage **out) {
    return vips_jpegload_buffer((void *)bytes, count, out, "shrink", shrink, LOAD, NULL);
}

int menagerie_vips_shrink(VipsImage *in, VipsImage **out, int columns, int rows) {
    return vips_shrink(in, out, columns, rows, NULL);
}

int menagerie_vips_icc_to_srgb(VipsImage *in, VipsImage **out) {
    return vips_icc_transform(in, out, "srgb", "embedded", TRUE, "intent", VIPS_INTENT_PERCEPTUAL, NULL);
}

int menagerie_vips_colourspace_srgb(VipsImage *in, VipsImage **out) {
    return vips_colourspace(in, out, VIPS_INTERPRETATION_sRGB, NULL);
}

int menagerie_vips_flatten_on_white(VipsImage *in, VipsImage **out) {
    double white[3] = {255, 255, 255};
    VipsArrayDouble *background = vips_array_double_new(white, 3);
    int status = vips_flatten(in, out, "background", background, NULL);
    vips_area_unref(VIPS_AREA(background));
    return status;
}

int menagerie_vips_cast_uchar(VipsImage *in, VipsImage **out) { return vips_cast(in, out, VIPS_FORMAT_UCHAR, NULL); }

int menagerie_vips_extract_bands(VipsImage *in, VipsImage **out, int first, int count) {
    return vips_extract_band(in, out, first, "n", count, NULL);
}

void menagerie_vips_unref(VipsImage *image) { g_object_unref(image); }
