#include "Rendering.h"

#include <string.h>

// A filter costs as much as the picture has pixels, so a tiny picture is made of means of boxes first. Alpha does not
// count: what is tiny shows no edges.

int cvips_reduce(VipsImage *in, int factor, VipsImage **out) {
    if (in->BandFmt != VIPS_FORMAT_UCHAR || in->Bands > 4 || factor < 1 || factor > 4096 || vips_image_wio_input(in)) {
        vips_error("reduce", "no boxes of %d pixels", factor);
        return -1;
    }
    int width = in->Xsize / factor, height = in->Ysize / factor, bands = in->Bands;
    VipsImage *image = width > 0 && height > 0 ? memory_image(in, width, height) : NULL;
    if (!image) {
        vips_error("reduce", "the picture is too small for boxes of %d pixels", factor);
        return -1;
    }
    guint *sums = g_new(guint, (size_t)width * bands);
    guint pixels = (guint)(factor * factor);
    for (int y = 0; y < height; y++) {
        memset(sums, 0, (size_t)width * bands * sizeof *sums);
        for (int row = 0; row < factor; row++) {
            const VipsPel *pixel = VIPS_IMAGE_ADDR(in, 0, y * factor + row);
            for (int x = 0; x < width; x++) {
                guint *sum = sums + x * bands;
                for (int i = 0; i < factor; i++, pixel += bands)
                    for (int band = 0; band < bands; band++) sum[band] += pixel[band];
            }
        }
        VipsPel *line = VIPS_IMAGE_ADDR(image, 0, y);
        for (int i = 0; i < width * bands; i++) line[i] = (VipsPel)((sums[i] + pixels / 2) / pixels);
    }
    g_free(sums);
    *out = image;
    return 0;
}
