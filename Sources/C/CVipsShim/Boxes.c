#include "Light.h"
#include "Rendering.h"

#include <string.h>

// A filter costs as much as the picture has pixels, so a tiny picture is made of means of boxes first. Alpha does not
// count: what is tiny shows no edges.

/// The largest factor, so that a column's sum has 16 bits.
enum { most = 256 };

VECTORISED static void add_row(const VipsPel *row, int count, guint16 *sums) {
    for (int i = 0; i < count; i++) sums[i] += row[i];
}

int cvips_reduce(VipsImage *in, int factor, VipsImage **out) {
    if (in->BandFmt != VIPS_FORMAT_UCHAR || in->Bands > 4 || factor < 1 || factor > most || vips_image_wio_input(in)) {
        vips_error("reduce", "no boxes of %d pixels", factor);
        return -1;
    }
    int width = in->Xsize / factor, height = in->Ysize / factor, bands = in->Bands;
    VipsImage *image = width > 0 && height > 0 ? memory_image(in, width, height) : NULL;
    if (!image) {
        vips_error("reduce", "the picture is too small for boxes of %d pixels", factor);
        return -1;
    }
    // First down, value by value; then across.
    int values = width * factor * bands;
    guint16 *sums = g_new(guint16, (size_t)values);
    guint pixels = (guint)(factor * factor);
    for (int y = 0; y < height; y++) {
        memset(sums, 0, (size_t)values * sizeof *sums);
        for (int row = 0; row < factor; row++) add_row(VIPS_IMAGE_ADDR(in, 0, y * factor + row), values, sums);
        VipsPel *line = VIPS_IMAGE_ADDR(image, 0, y);
        const guint16 *sum = sums;
        for (int x = 0; x < width; x++, sum += factor * bands)
            for (int band = 0; band < bands; band++) {
                guint all = pixels / 2;
                for (int i = 0; i < factor; i++) all += sum[i * bands + band];
                *line++ = (VipsPel)(all / pixels);
            }
    }
    g_free(sums);
    *out = image;
    return 0;
}
