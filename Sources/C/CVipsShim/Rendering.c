#include "Rendering.h"

#include <string.h>

/// Returns a picture in memory that is not cleared, as that of libvips is: fresh memory costs more than scaling does.
static VipsImage *image_new(int width, int height, int bands, VipsBandFormat format, VipsInterpretation space) {
    size_t count = (size_t)width * height * bands * vips_format_sizeof(format);
    void *pixels = g_try_malloc(count);
    VipsImage *image = pixels ? vips_image_new_from_memory(pixels, count, width, height, bands, format) : NULL;
    if (!image) {
        vips_error("render", "no memory for %zu bytes", count);
        g_free(pixels);
        return NULL;
    }
    image->Type = space;
    g_object_set_data_full(G_OBJECT(image), "pixels", pixels, g_free);
    return image;
}

VipsImage *memory_image(VipsImage *in, int width, int height) {
    VipsImage *image = image_new(width, height, in->Bands, in->BandFmt, vips_image_guess_interpretation(in));
    const void *profile;
    size_t count;
    if (image && vips_image_get_typeof(in, VIPS_META_ICC_NAME) &&
        !vips_image_get_blob(in, VIPS_META_ICC_NAME, &profile, &count))
        vips_image_set_blob_copy(image, VIPS_META_ICC_NAME, profile, count);
    return image;
}

void blacken(VipsImage *image, int first) {
    if (first < image->Ysize)
        memset(VIPS_IMAGE_ADDR(image, 0, first), 0, VIPS_IMAGE_SIZEOF_LINE(image) * (image->Ysize - first));
}

int cvips_is_in_memory(VipsImage *in) { return in->dtype == VIPS_IMAGE_SETBUF || in->dtype == VIPS_IMAGE_SETBUF_FOREIGN; }

int cvips_render(VipsImage *in, cvips_keep keep, void *user, VipsImage **out, int *rows) {
    if ((in->BandFmt != VIPS_FORMAT_UCHAR && in->BandFmt != VIPS_FORMAT_USHORT) || vips_image_pio_input(in)) return -1;
    VipsImage *image = out ? memory_image(in, in->Xsize, in->Ysize) : NULL;
    if (out && !image) return -1;
    VipsRegion *region = vips_region_new(in);
    int status = -1;
    int y = 0;
    while (y < in->Ysize) {
        VipsRect area = {0, y, in->Xsize, VIPS_MIN(strip_height, in->Ysize - y)};
        if (vips_region_prepare(region, &area)) goto end;
        if (!keep(user)) break;
        for (int row = 0; row < area.height; row++, y++)
            if (image) memcpy(VIPS_IMAGE_ADDR(image, 0, y), VIPS_REGION_ADDR(region, 0, y), VIPS_IMAGE_SIZEOF_LINE(image));
    }
    if (image) blacken(image, y);
    *rows = y;
    if (out) *out = g_steal_pointer(&image);
    status = 0;
end:
    g_object_unref(region);
    VIPS_UNREF(image);
    return status;
}

int cvips_new_standard(VipsImage *in, VipsImage **out) {
    VipsInterpretation space = in->Bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
    *out = image_new(in->Xsize, in->Ysize, in->Bands, VIPS_FORMAT_UCHAR, space);
    return *out ? 0 : -1;
}

int cvips_roll_new(VipsImage *frame, int count, VipsImage **out) {
    *out = memory_image(frame, frame->Xsize, frame->Ysize * count);
    if (!*out) return -1;
    blacken(*out, 0);
    return 0;
}

int cvips_roll_set(VipsImage *roll, int index, VipsImage *frame) {
    int top = index * frame->Ysize;
    if (frame->Xsize != roll->Xsize || frame->Bands != roll->Bands || frame->BandFmt != roll->BandFmt || top + frame->Ysize > roll->Ysize) {
        vips_error("roll", "the frames are not alike");
        return -1;
    }
    if (vips_image_wio_input(frame)) return -1;
    memcpy(VIPS_IMAGE_ADDR(roll, 0, top), VIPS_IMAGE_ADDR(frame, 0, 0), VIPS_IMAGE_SIZEOF_IMAGE(frame));
    return 0;
}
