#include "Rendering.h"

VipsImage *memory_image(VipsImage *in, int width, int height) {
    VipsImage *image = vips_image_new_memory();
    const void *profile;
    size_t count;
    vips_image_init_fields(image, width, height, in->Bands, in->BandFmt, VIPS_CODING_NONE,
                           vips_image_guess_interpretation(in), 1.0, 1.0);
    if (vips_image_get_typeof(in, VIPS_META_ICC_NAME) && !vips_image_get_blob(in, VIPS_META_ICC_NAME, &profile, &count))
        vips_image_set_blob_copy(image, VIPS_META_ICC_NAME, profile, count);
    return image;
}

int cvips_render(VipsImage *in, cvips_keep keep, void *user, VipsImage **out, int *rows) {
    if ((in->BandFmt != VIPS_FORMAT_UCHAR && in->BandFmt != VIPS_FORMAT_USHORT) || vips_image_pio_input(in)) return -1;
    VipsImage *image = out ? memory_image(in, in->Xsize, in->Ysize) : NULL;
    VipsRegion *region = vips_region_new(in);
    int status = -1;
    int y = 0;
    if (image && vips_image_write_prepare(image)) goto end;
    while (y < in->Ysize) {
        VipsRect area = {0, y, in->Xsize, VIPS_MIN(strip_height, in->Ysize - y)};
        if (vips_region_prepare(region, &area)) goto end;
        if (!keep(user)) break;
        for (int row = 0; row < area.height; row++, y++)
            if (image && vips_image_write_line(image, y, VIPS_REGION_ADDR(region, 0, y))) goto end;
    }
    *rows = y;
    if (out) *out = g_steal_pointer(&image);
    status = 0;
end:
    g_object_unref(region);
    VIPS_UNREF(image);
    return status;
}

int cvips_new_standard(VipsImage *in, VipsImage **out) {
    VipsImage *image = vips_image_new_memory();
    VipsInterpretation space = in->Bands < 3 ? VIPS_INTERPRETATION_B_W : VIPS_INTERPRETATION_sRGB;
    vips_image_init_fields(image, in->Xsize, in->Ysize, in->Bands, VIPS_FORMAT_UCHAR, VIPS_CODING_NONE, space, 1.0, 1.0);
    if (vips_image_write_prepare(image)) {
        g_object_unref(image);
        return -1;
    }
    *out = image;
    return 0;
}

int cvips_roll_new(VipsImage *frame, int count, VipsImage **out) {
    VipsImage *image = memory_image(frame, frame->Xsize, frame->Ysize * count);
    if (vips_image_write_prepare(image)) {
        g_object_unref(image);
        return -1;
    }
    *out = image;
    return 0;
}

int cvips_roll_set(VipsImage *roll, int index, VipsImage *frame) {
    int top = index * frame->Ysize;
    if (frame->Xsize != roll->Xsize || frame->Bands != roll->Bands || top + frame->Ysize > roll->Ysize) {
        vips_error("roll", "the frames are not alike");
        return -1;
    }
    if (vips_image_wio_input(frame)) return -1;
    for (int y = 0; y < frame->Ysize; y++)
        if (vips_image_write_line(roll, top + y, VIPS_IMAGE_ADDR(frame, 0, y))) return -1;
    return 0;
}
