#include "Rendering.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// libvips writes GIFs through libimagequant, which takes 38 ms for a frame of 300x300 pixels of a photo. This writer takes
// 3 to 8 ms: one palette for all frames where it suits them, found among 32,768 colors, and an ordered pattern instead of
// spread errors. The pattern is the same in all frames, so that parts without movement stay, and compresses better.

enum { bits = 5, bins = 1 << 3 * bits, transparent = 0, most_codes = 4096, hash_size = 1 << 14 };

// The difference from which on a pixel has changed. Smaller ones are noise of a lossy source.
enum { tolerance = 3 };

typedef struct {
    double count;
    double sum[3];
} Bin;

typedef struct {
    int count;
    VipsPel colors[256][3];
    /// The index of the nearest color for each bin; 0, which is never one, where it isn't known yet.
    guint8 nearest[bins];
    /// The mean square distance of the pixels from their colors.
    double error;
} Palette;

typedef struct {
    /// The range of the palette's bins, in the order of `order`.
    int first, end;
    double count, error;
    int axis;
    double middle;
} Box;

static int bin_of(const VipsPel *color) {
    return color[0] >> (8 - bits) << 2 * bits | color[1] >> (8 - bits) << bits | color[2] >> (8 - bits);
}

/// Measures a box, and finds the axis along which its colors differ most.
static void measure(const Bin *histogram, const int *order, Box *box) {
    double sum[3] = {0}, square[3] = {0};
    box->count = 0;
    for (int i = box->first; i < box->end; i++) {
        const Bin *bin = &histogram[order[i]];
        box->count += bin->count;
        for (int k = 0; k < 3; k++) {
            sum[k] += bin->sum[k];
            square[k] += bin->sum[k] * bin->sum[k] / bin->count;
        }
    }
    double most = -1;
    box->error = 0;
    for (int k = 0; k < 3; k++) {
        double error = square[k] - sum[k] * sum[k] / box->count;
        box->error += error;
        if (error <= most) continue;
        most = error;
        box->axis = k;
        box->middle = sum[k] / box->count;
    }
    if (box->end - box->first < 2) box->error = 0;
}

/// Divides a box at its middle. Returns 0 if all colors are on one side.
static int divide(const Bin *histogram, int *order, Box *box, Box *other) {
    int low = box->first, high = box->end;
    while (low < high) {
        const Bin *bin = &histogram[order[low]];
        if (bin->sum[box->axis] / bin->count < box->middle) {
            low++;
        } else {
            int swapped = order[low];
            order[low] = order[--high];
            order[high] = swapped;
        }
    }
    if (low == box->first || low == box->end) return 0;
    *other = (Box){.first = low, .end = box->end};
    box->end = low;
    measure(histogram, order, box);
    measure(histogram, order, other);
    return 1;
}

static int nearest(Palette *palette, const VipsPel *color) {
    int best = 1, least = G_MAXINT;
    for (int i = 1; i < palette->count; i++) {
        int red = palette->colors[i][0] - color[0];
        int green = palette->colors[i][1] - color[1];
        int blue = palette->colors[i][2] - color[2];
        // Eyes see green best, and blue worst.
        int distance = 3 * red * red + 4 * green * green + 2 * blue * blue;
        if (distance >= least) continue;
        least = distance;
        best = i;
    }
    return best;
}

/// Returns the index of the color for the middle of a bin.
static int lookup(Palette *palette, int bin) {
    if (!palette->nearest[bin]) {
        int mask = (1 << bits) - 1, half = 1 << (7 - bits);
        VipsPel middle[3] = {
            (bin >> 2 * bits & mask) << (8 - bits) | half,
            (bin >> bits & mask) << (8 - bits) | half,
            (bin & mask) << (8 - bits) | half,
        };
        palette->nearest[bin] = nearest(palette, middle);
    }
    return palette->nearest[bin];
}

static void measure_error(Palette *palette, const Bin *histogram) {
    double error = 0, count = 0;
    for (int i = 0; i < bins; i++) {
        if (histogram[i].count == 0) continue;
        const VipsPel *color = palette->colors[lookup(palette, i)];
        for (int k = 0; k < 3; k++) {
            double distance = histogram[i].sum[k] / histogram[i].count - color[k];
            error += distance * distance * histogram[i].count;
        }
        count += histogram[i].count;
    }
    palette->error = count > 0 ? error / count : 0;
}

/// Finds up to `most` colors, beside the transparent one, by dividing the box with the largest error.
static void find_palette(Palette *palette, const Bin *histogram, int most) {
    Box boxes[256];
    int *order = g_new(int, bins);
    int used = 0, count = 0;
    for (int i = 0; i < bins; i++)
        if (histogram[i].count > 0) order[used++] = i;
    if (used > 0) {
        boxes[count] = (Box){.first = 0, .end = used};
        measure(histogram, order, &boxes[count++]);
    }
    while (count > 0 && count < most) {
        int widest = 0;
        for (int i = 1; i < count; i++)
            if (boxes[i].error > boxes[widest].error) widest = i;
        if (boxes[widest].error <= 0) break;
        if (divide(histogram, order, &boxes[widest], &boxes[count])) count++;
        else boxes[widest].error = 0;
    }
    memset(palette, 0, sizeof *palette);
    palette->count = 1;
    for (int i = 0; i < count; i++, palette->count++) {
        double sum[3] = {0};
        for (int b = boxes[i].first; b < boxes[i].end; b++) {
            for (int k = 0; k < 3; k++) sum[k] += histogram[order[b]].sum[k];
            // The color of its own box is near enough, and saves the search.
            palette->nearest[order[b]] = palette->count;
        }
        for (int k = 0; k < 3; k++) palette->colors[palette->count][k] = (VipsPel)(sum[k] / boxes[i].count + 0.5);
    }
    g_free(order);
    // Each color moves to the mean of those that it is nearest to (one step of Lloyd's method).
    double (*sums)[4] = g_malloc0(256 * sizeof *sums);
    memset(palette->nearest, 0, sizeof palette->nearest);
    for (int i = 0; i < bins; i++) {
        if (histogram[i].count == 0) continue;
        double *sum = sums[lookup(palette, i)];
        for (int k = 0; k < 3; k++) sum[k] += histogram[i].sum[k];
        sum[3] += histogram[i].count;
    }
    for (int i = 1; i < palette->count; i++)
        for (int k = 0; k < 3 && sums[i][3] > 0; k++) palette->colors[i][k] = (VipsPel)(sums[i][k] / sums[i][3] + 0.5);
    memset(palette->nearest, 0, sizeof palette->nearest);
    g_free(sums);
    measure_error(palette, histogram);
}

/// Copies a frame as red, green, blue and alpha, which is 0 or 255. Returns 1 if a pixel is transparent.
static int read_frame(VipsImage *roll, int top, int height, VipsPel *frame) {
    int bands = roll->Bands, is_transparent = 0;
    for (int y = 0; y < height; y++) {
        const VipsPel *from = VIPS_IMAGE_ADDR(roll, 0, top + y);
        for (int x = 0; x < roll->Xsize; x++, from += bands, frame += 4) {
            for (int k = 0; k < 3; k++) frame[k] = bands < 3 ? from[0] : from[k];
            frame[3] = bands % 2 || from[bands - 1] >= 128 ? 255 : 0;
            if (!frame[3]) is_transparent = 1;
        }
    }
    return is_transparent;
}

static void add_to_histogram(Bin *histogram, const VipsPel *frame, int pixels) {
    for (int i = 0; i < pixels; i++, frame += 4) {
        if (!frame[3]) continue;
        Bin *bin = &histogram[bin_of(frame)];
        bin->count++;
        for (int k = 0; k < 3; k++) bin->sum[k] += frame[k];
    }
}

// MARK: Writing

typedef struct {
    GByteArray *bytes;
    guint32 buffer;
    int buffered;
    guint8 block[256];
} Codes;

static void put_byte(Codes *codes, guint8 byte) {
    codes->block[++codes->block[0]] = byte;
    if (codes->block[0] < 255) return;
    g_byte_array_append(codes->bytes, codes->block, 256);
    codes->block[0] = 0;
}

static void put_code(Codes *codes, int code, int width) {
    codes->buffer |= (guint32)code << codes->buffered;
    codes->buffered += width;
    for (; codes->buffered >= 8; codes->buffered -= 8, codes->buffer >>= 8) put_byte(codes, codes->buffer & 255);
}

static void end_codes(Codes *codes) {
    if (codes->buffered > 0) put_byte(codes, codes->buffer & 255);
    if (codes->block[0] > 0) g_byte_array_append(codes->bytes, codes->block, codes->block[0] + 1);
    g_byte_array_append(codes->bytes, (const guint8[]){0}, 1);
}

/// Compresses pixels: GIF89a specification, appendix F.
static void put_pixels(GByteArray *bytes, const guint8 *pixels, int count, int depth) {
    Codes codes = {.bytes = bytes};
    guint32 *keys = g_new(guint32, hash_size);
    guint16 *values = g_new(guint16, hash_size);
    int minimum = VIPS_MAX(2, depth), clear = 1 << minimum, next = clear + 2, width = minimum + 1;
    g_byte_array_append(bytes, (const guint8[]){minimum}, 1);
    memset(keys, 0xFF, hash_size * sizeof *keys);
    put_code(&codes, clear, width);
    int prefix = pixels[0];
    for (int i = 1; i < count; i++) {
        guint32 key = (guint32)prefix << 8 | pixels[i];
        guint32 slot = key * 2654435761u >> 18;
        while (keys[slot] != key && keys[slot] != G_MAXUINT32) slot = (slot + 1) % hash_size;
        if (keys[slot] == key) {
            prefix = values[slot];
            continue;
        }
        put_code(&codes, prefix, width);
        prefix = pixels[i];
        if (next == most_codes) {
            put_code(&codes, clear, width);
            memset(keys, 0xFF, hash_size * sizeof *keys);
            next = clear + 2;
            width = minimum + 1;
            continue;
        }
        if (next == 1 << width) width++;
        keys[slot] = key;
        values[slot] = next++;
    }
    put_code(&codes, prefix, width);
    // A reader has added one more code by now.
    if (next == 1 << width && width < 12) width++;
    put_code(&codes, clear + 1, width);
    end_codes(&codes);
    g_free(keys);
    g_free(values);
}

static void put_number(GByteArray *bytes, int value) {
    g_byte_array_append(bytes, (const guint8[]){value & 255, value >> 8 & 255}, 2);
}

/// Returns the number of bits of the indices of a palette.
static int depth_of(const Palette *palette) {
    int depth = 1;
    while (1 << depth < palette->count) depth++;
    return depth;
}

static void put_colors(GByteArray *bytes, const Palette *palette) {
    g_byte_array_append(bytes, palette->colors[0], 3 << depth_of(palette));
}

typedef struct {
    int left, top, width, height;
} Area;

/// Finds the indices of the pixels that have changed since they were shown, and the area around them. Others are
/// transparent.
static Area find_pixels(Palette *palette, const VipsPel *frame, VipsPel *shown, int width, int height,
                        guint8 *pixels) {
    static const guint8 pattern[8][8] = {
        {0, 32, 8, 40, 2, 34, 10, 42},  {48, 16, 56, 24, 50, 18, 58, 26}, {12, 44, 4, 36, 14, 46, 6, 38},
        {60, 28, 52, 20, 62, 30, 54, 22}, {3, 35, 11, 43, 1, 33, 9, 41},    {51, 19, 59, 27, 49, 17, 57, 25},
        {15, 47, 7, 39, 13, 45, 5, 37},   {63, 31, 55, 23, 61, 29, 53, 21},
    };
    // As far as colors are apart: none where the palette has them all.
    int reach = (int)VIPS_MIN(sqrt(palette->error) * 1.5, 20);
    int left = width, right = -1, top = height, bottom = -1;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++, frame += 4, shown += 4, pixels++) {
            *pixels = transparent;
            if (!frame[3]) continue;
            if (shown[3] && abs(frame[0] - shown[0]) <= tolerance && abs(frame[1] - shown[1]) <= tolerance &&
                abs(frame[2] - shown[2]) <= tolerance)
                continue;
            memcpy(shown, frame, 4);
            int shift = (2 * pattern[y % 8][x % 8] - 63) * reach / 64;
            VipsPel color[3];
            for (int k = 0; k < 3; k++) color[k] = VIPS_CLIP(0, frame[k] + shift, 255);
            *pixels = lookup(palette, bin_of(color));
            left = VIPS_MIN(left, x);
            right = VIPS_MAX(right, x);
            top = VIPS_MIN(top, y);
            bottom = y;
        }
    }
    return right < 0 ? (Area){0, 0, 1, 1} : (Area){left, top, right - left + 1, bottom - top + 1};
}

static void put_frame(GByteArray *bytes, const Palette *palette, int is_local, Area area, guint8 *pixels, int width,
                      int time, int is_cleared) {
    g_byte_array_append(bytes, (const guint8[]){0x21, 0xF9, 4, (is_cleared ? 2 : 1) << 2 | 1}, 4);
    put_number(bytes, VIPS_CLIP(0, time, 65535));
    g_byte_array_append(bytes, (const guint8[]){transparent, 0, 0x2C}, 3);
    put_number(bytes, area.left);
    put_number(bytes, area.top);
    put_number(bytes, area.width);
    put_number(bytes, area.height);
    int depth = depth_of(palette);
    g_byte_array_append(bytes, (const guint8[]){is_local ? 0x80 | (depth - 1) : 0}, 1);
    if (is_local) put_colors(bytes, palette);
    // Moves the rows of the area together.
    for (int y = 0; y < area.height; y++)
        memmove(pixels + (size_t)y * area.width, pixels + (size_t)(area.top + y) * width + area.left, area.width);
    put_pixels(bytes, pixels, area.width * area.height, depth);
}

int cvips_animation_save(VipsImage *roll, int page_height, const int *times, int count, int loop, int colors,
                         void **bytes, size_t *byte_count) {
    int width = roll->Xsize, size = width * page_height, is_transparent = 0;
    if (vips_image_wio_input(roll) || roll->BandFmt != VIPS_FORMAT_UCHAR || roll->Bands > 4 || colors < 2 ||
        colors > 256 || count < 1 || roll->Ysize / page_height < count || width > 65535 || page_height > 65535) {
        vips_error("animation", "not an animation");
        return -1;
    }
    VipsPel *frame = g_malloc((size_t)size * 4);
    VipsPel *shown = g_malloc0((size_t)size * 4);
    guint8 *pixels = g_malloc(size);
    Bin *histogram = g_new0(Bin, bins);
    Palette *global = g_new(Palette, 1), *local = g_new(Palette, 1);
    for (int i = 0; i < count; i++) {
        is_transparent |= read_frame(roll, i * page_height, page_height, frame);
        add_to_histogram(histogram, frame, size);
    }
    find_palette(global, histogram, colors - 1);

    GByteArray *file = g_byte_array_new();
    g_byte_array_append(file, (const guint8 *)"GIF89a", 6);
    put_number(file, width);
    put_number(file, page_height);
    g_byte_array_append(file, (const guint8[]){0xF0 | (depth_of(global) - 1), 0, 0}, 3);
    put_colors(file, global);
    if (loop != 1) {
        g_byte_array_append(file, (const guint8 *)"\x21\xFF\x0BNETSCAPE2.0\x03\x01", 16);
        // The number of repetitions after the first time.
        put_number(file, loop > 1 ? VIPS_MIN(loop - 1, 65535) : 0);
        g_byte_array_append(file, (const guint8[]){0}, 1);
    }
    for (int i = 0; i < count; i++) {
        read_frame(roll, i * page_height, page_height, frame);
        memset(histogram, 0, bins * sizeof *histogram);
        add_to_histogram(histogram, frame, size);
        measure_error(global, histogram);
        Palette *palette = global;
        // A frame that the common colors don't suit gets its own, if they are clearly better.
        if (global->error > 8) {
            find_palette(local, histogram, colors - 1);
            if (local->error < 0.8 * global->error) palette = local;
        }
        if (is_transparent) memset(shown, 0, (size_t)size * 4);
        Area area = find_pixels(palette, frame, shown, width, page_height, pixels);
        put_frame(file, palette, palette == local, area, pixels, width, times[i], is_transparent);
    }
    g_byte_array_append(file, (const guint8[]){0x3B}, 1);
    g_free(local);
    g_free(global);
    g_free(histogram);
    g_free(pixels);
    g_free(shown);
    g_free(frame);
    *byte_count = file->len;
    *bytes = g_byte_array_free(file, FALSE);
    return 0;
}
