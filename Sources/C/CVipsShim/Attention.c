#include "CVipsShim.h"

#include <math.h>
#include <stdlib.h>

// libvips' own search for what draws attention does not survive a decoder process' filter of system calls. This one looks
// for the same things: edges, saturated colors, and skin. A crop to a shape keeps all of one side, so it searches along the
// other.

/// The number of samples along the longer side.
enum { resolution = 128 };

/// The share of its score that a part loses at the end of the picture: where all is alike, the middle wins.
static const double loss_at_end = 0.1;

/// Returns the brightness of a pixel, from 0 to 255.
static int brightness(const VipsPel *pixel, int bands) {
    return bands < 3 ? pixel[0] : (2 * pixel[0] + 5 * pixel[1] + pixel[2]) / 8;
}

/// Returns how saturated a color is, and how near to that of skin: up to 384 together.
static double color(const VipsPel *pixel) {
    double red = pixel[0], green = pixel[1], blue = pixel[2];
    double length = sqrt(red * red + green * green + blue * blue);
    if (length < 40) return 0;
    double saturation = fmax(red, fmax(green, blue)) - fmin(red, fmin(green, blue));
    // The direction of skin colors in RGB, as libvips has it.
    double beside[] = {red / length - 0.78, green / length - 0.57, blue / length - 0.44};
    double distance = sqrt(beside[0] * beside[0] + beside[1] * beside[1] + beside[2] * beside[2]);
    return saturation / 2 + 256 * fmax(0, 1 - distance / 0.2);
}

/// Returns how much the pixel at a position draws attention, beside the next samples.
static double attention(VipsImage *in, int step, int x, int y) {
    const VipsPel *pixel = VIPS_IMAGE_ADDR(in, x, y);
    int value = brightness(pixel, in->Bands);
    int right = brightness(VIPS_IMAGE_ADDR(in, VIPS_MIN(x + step, in->Xsize - 1), y), in->Bands);
    int below = brightness(VIPS_IMAGE_ADDR(in, x, VIPS_MIN(y + step, in->Ysize - 1)), in->Bands);
    double sum = 2 * (abs(value - right) + abs(value - below)) + (in->Bands < 3 ? 0 : color(pixel));
    return in->Bands % 2 == 0 ? sum * pixel[in->Bands - 1] / 255 : sum;
}

/// Returns the start of the part of `length` samples, among `count`, with the largest sum. The samples in its middle have
/// the most weight.
static int best_start(const double *samples, int count, int length) {
    int best = (count - length) / 2;
    double most = 0;
    for (int start = 0; start + length <= count; start++) {
        double sum = 0;
        for (int i = 0; i < length; i++) sum += samples[start + i] * (length - abs(2 * i + 1 - length) / 2.0);
        double from_middle = fabs(2.0 * start + length - count) / VIPS_MAX(1, count - length);
        sum *= 1 - loss_at_end * from_middle;
        if (sum > most) {
            most = sum;
            best = start;
        }
    }
    return best;
}

int cvips_attention(VipsImage *in, int width, int height, int *left, int *top) {
    *left = *top = 0;
    if (in->BandFmt != VIPS_FORMAT_UCHAR || width > in->Xsize || height > in->Ysize || vips_image_wio_input(in)) return -1;
    int step = VIPS_MAX(1, VIPS_MAX(in->Xsize, in->Ysize) / resolution);
    gboolean is_across = in->Xsize - width > in->Ysize - height;
    int side = is_across ? in->Xsize : in->Ysize, kept = is_across ? width : height;
    int count = (side + step - 1) / step, length = VIPS_CLIP(1, kept / step, count);
    double *samples = g_new0(double, count);
    for (int y = 0; y < in->Ysize; y += step)
        for (int x = 0; x < in->Xsize; x += step) samples[(is_across ? x : y) / step] += attention(in, step, x, y);
    int start = VIPS_MIN(best_start(samples, count, length) * step, side - kept);
    // A pixel may be over on the other side.
    *left = is_across ? start : (in->Xsize - width) / 2;
    *top = is_across ? (in->Ysize - height) / 2 : start;
    g_free(samples);
    return 0;
}
