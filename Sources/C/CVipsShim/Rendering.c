#include "CVipsShim.h"

#include <math.h>
#include <string.h>

// High enough that the rows shared by neighbouring strips inside libvips are a small part of each.
enum { strip_height = 64 };

/// Returns memory for a picture like `in` with this size, with its colour profile and no other metadata.
static VipsImage *memory_image(VipsImage *in, int width, int height) {
    VipsImage *image = vips_image_new_memory();
    const void *profile;
    size_t count;
    vips_image_init_fields(image, width, height, in->Bands, VIPS_FORMAT_UCHAR, VIPS_CODING_NONE,
                           vips_image_guess_interpretation(in), 1.0, 1.0);
    if (vips_image_get_typeof(in, VIPS_META_ICC_NAME) && !vips_image_get_blob(in, VIPS_META_ICC_NAME, &profile, &count))
        vips_image_set_blob_copy(image, VIPS_META_ICC_NAME, profile, count);
    return image;
}

int cvips_render(VipsImage *in, cvips_keep keep, void *user, VipsImage **out, int *rows) {
    if (in->BandFmt != VIPS_FORMAT_UCHAR || vips_image_pio_input(in)) return -1;
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

int cvips_roll_animation(VipsImage *roll, int page_height, const int *delays, int count, int loop, VipsImage **out) {
    if (vips_extract_area(roll, out, 0, 0, roll->Xsize, page_height * count, NULL)) return -1;
    vips_image_set_int(*out, VIPS_META_PAGE_HEIGHT, page_height);
    vips_image_set_array_int(*out, "delay", delays, count);
    vips_image_set_int(*out, "loop", loop);
    return 0;
}

// libvips scales down fast only with liborc, which generates machine code at run time, and a decoder process has no
// memory that is writable and executable. Without liborc, its Lanczos filter takes longer than decoding the JPEG: 36 ms
// against 29 ms from 10 megapixels to 1038 px. This implementation of the same filter takes 7 ms, because the C
// compiler vectorizes it. On x86 it is compiled twice, and the loader chooses by processor.
#ifdef __x86_64__
#define VECTORISED __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define VECTORISED
#endif

// One pixel of up to four bands.
typedef float Pixel __attribute__((vector_size(16)));
typedef int WholePixel __attribute__((vector_size(16)));

// The values kept in registers while all their inputs are added up.
typedef float Block __attribute__((vector_size(128)));
typedef VipsPel BlockOfBytes __attribute__((vector_size(32)));
enum { block = sizeof(Block) / sizeof(float) };

/// The inputs of each output, with their weights. An odd number of weights is followed by a zero.
typedef struct {
    int first;
    int count;
    const float *weights;
} Taps;

static double lanczos3(double x) {
    if (x == 0) return 1;
    return fabs(x) < 3 ? 3 * sin(G_PI * x) * sin(G_PI * x / 3) / (G_PI * G_PI * x * x) : 0;
}

/// Returns the taps for `to` outputs from `from` inputs, in one block that the caller frees.
static Taps *taps_new(int from, int to) {
    double scale = (double)from / to;
    double stretch = VIPS_MAX(1.0, scale);
    int most = 2 * (int)ceil(3 * stretch) + 2;
    Taps *taps = g_malloc0(to * (sizeof(Taps) + most * sizeof(float)));
    float *weights = (float *)(taps + to);
    for (int i = 0; i < to; i++, weights += most) {
        double centre = (i + 0.5) * scale;
        int first = VIPS_MAX(0, (int)floor(centre - 3 * stretch));
        int end = VIPS_MIN(from, (int)ceil(centre + 3 * stretch));
        double sum = 0;
        for (int k = first; k < end; k++) sum += weights[k - first] = lanczos3((k + 0.5 - centre) / stretch);
        for (int k = first; k < end; k++) weights[k - first] /= sum;
        taps[i] = (Taps){first, end - first, weights};
    }
    return taps;
}

/// Computes a row of `stride` values, in whole blocks, from a ring of `ring` rows.
VECTORISED static void scale_down(const Taps *taps, const VipsPel *rows, int ring, int stride, float *out) {
    for (int i = 0; i < stride; i += block) {
        Block sum = {0};
        int slot = taps->first % ring;
        for (int k = 0; k < taps->count; k++, slot = slot + 1 == ring ? 0 : slot + 1) {
            BlockOfBytes row;
            memcpy(&row, rows + (size_t)slot * stride + i, sizeof row);
            sum += __builtin_convertvector(row, Block) * taps->weights[k];
        }
        memcpy(out + i, &sum, sizeof sum);
    }
}

VECTORISED static void scale_across(const Taps *taps, const float *row, int width, int bands, VipsPel *out) {
    for (int x = 0; x < width; x++) {
        // Two sums, so that an addition does not wait for the one before.
        Pixel even = {0.5f, 0.5f, 0.5f, 0.5f}, odd = {0};
        const float *in = row + taps[x].first * bands;
        for (int k = 0; k < taps[x].count; k += 2, in += 2 * bands) {
            Pixel one, other;
            memcpy(&one, in, sizeof one);
            memcpy(&other, in + bands, sizeof other);
            even += one * taps[x].weights[k];
            odd += other * taps[x].weights[k + 1];
        }
        WholePixel whole = __builtin_convertvector(even + odd, WholePixel);
        whole &= whole > 0;
        whole |= whole > 255;
        for (int band = 0; band < bands; band++) *out++ = (VipsPel)whole[band];
    }
}

int cvips_render_scaled(VipsImage *in, int width, int height, cvips_keep keep, void *user, VipsImage **out, int *rows) {
    if (in->BandFmt != VIPS_FORMAT_UCHAR || in->Bands > 4 || width < 1 || height < 1 || vips_image_pio_input(in))
        return -1;
    VipsImage *image = memory_image(in, width, height);
    VipsRegion *region = vips_region_new(in);
    int values = in->Xsize * in->Bands;
    int stride = (values + block - 1) / block * block;
    Taps *down = taps_new(in->Ysize, height);
    Taps *across = taps_new(in->Xsize, width);
    // The rows of one output row, and those of the next strip.
    int ring = 2 * (int)ceil(3 * VIPS_MAX(1.0, (double)in->Ysize / height)) + 2 + strip_height;
    VipsPel *input = g_new0(VipsPel, (size_t)ring * stride);
    // A pixel is read as four values, whatever its bands, and an odd number of weights reads one pixel more.
    float *middle = g_new0(float, stride + 8);
    VipsPel *line = g_new(VipsPel, (size_t)width * in->Bands);
    int status = -1;
    int there = 0;
    int y = 0;
    if (vips_image_write_prepare(image)) goto end;
    while (y < height) {
        if (there < in->Ysize && there < down[y].first + down[y].count) {
            VipsRect area = {0, there, in->Xsize, VIPS_MIN(strip_height, in->Ysize - there)};
            if (vips_region_prepare(region, &area)) goto end;
            if (!keep(user)) break;
            for (int row = 0; row < area.height; row++, there++) {
                const VipsPel *from = VIPS_REGION_ADDR(region, 0, there);
                memcpy(input + (size_t)(there % ring) * stride, from, values);
            }
            continue;
        }
        scale_down(&down[y], input, ring, stride, middle);
        scale_across(across, middle, width, in->Bands, line);
        if (vips_image_write_line(image, y, line)) goto end;
        y++;
    }
    *rows = y;
    *out = g_steal_pointer(&image);
    status = 0;
end:
    g_free(line);
    g_free(middle);
    g_free(input);
    g_free(across);
    g_free(down);
    g_object_unref(region);
    VIPS_UNREF(image);
    return status;
}
