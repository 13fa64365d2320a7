#include "Light.h"

#include <string.h>

// The inputs of `light_of_values`, and its outputs.
typedef VipsPel SomeBytes __attribute__((vector_size(16)));
typedef float SomeValues __attribute__((vector_size(64)));
typedef int SomeWholeValues __attribute__((vector_size(64)));
typedef guint16 SomeInputs __attribute__((vector_size(32)));

// Light adds up; the values of a picture are about its square root. A mean of values is too dark, so edges and fine
// detail lose their brightness: fifteen photos of 1038 px scored 77.8 of SSIMULACRA2, and 79.1 in light. So the filter works
// on 16 bits of light. A table leads back to values from the upper 14 bits.
enum { unused_bits = 2 };

// A polynomial near the curve of sRGB (IEC 61966-2-1), at most 0.0024 beside it, because it is faster than a table. What
// leads back is its exact inverse.
#define STEP(factor, power) (float)((factor) * full / (power))
#define CURVE(x) ((((STEP(-0.20902477, 255.0 * 255 * 255 * 255) * (x) + STEP(0.70311077, 255.0 * 255 * 255)) * (x) + \
                    STEP(0.45718489, 255.0 * 255)) * (x) + STEP(0.04872911, 255.0)) * (x) + 0.5f)

typedef struct {
    guint16 input[256];
    VipsPel output[(full >> unused_bits) + 1];
} Tables;

static Tables light, plain;

void prepare_light(void) {
    for (int i = 0; i < 256; i++) {
        light.input[i] = (guint16)CURVE((float)i);
        plain.input[i] = (guint16)(i * (full / 255));
    }
    for (int i = 0, value = 0; i <= full >> unused_bits; i++) {
        int middle = (i << unused_bits) + (1 << (unused_bits - 1));
        // The value whose light is nearest.
        while (value < 255 && 2 * middle > light.input[value] + light.input[value + 1]) value++;
        light.output[i] = (VipsPel)value;
        plain.output[i] = (VipsPel)VIPS_MIN(255, (middle + full / 510) / (full / 255));
    }
}

/// Converts values to light.
VECTORISED static void light_of_values(const VipsPel *in, int count, guint16 *out) {
    int i = 0;
    for (; i + 16 <= count; i += 16) {
        SomeBytes bytes;
        memcpy(&bytes, in + i, sizeof bytes);
        SomeValues x = __builtin_convertvector(bytes, SomeValues);
        SomeWholeValues whole = __builtin_convertvector(CURVE(x), SomeWholeValues);
        SomeInputs inputs = __builtin_convertvector(whole, SomeInputs);
        memcpy(out + i, &inputs, sizeof inputs);
    }
    for (; i < count; i++) out[i] = light.input[in[i]];
}

void read_row(const Bands *bands, const VipsPel *in, int width, guint16 *out) {
    const guint16 *table = (bands->in_light ? &light : &plain)->input;
    int colors = bands->count - 1;
    if (bands->in_light && !bands->has_alpha) return light_of_values(in, width * bands->count, out);
    if (!bands->has_alpha) {
        for (int i = 0; i < width * bands->count; i++) out[i] = table[in[i]];
        return;
    }
    for (int x = 0; x < width; x++, in += colors + 1, out += colors + 1) {
        guint alpha = in[colors];
        for (int band = 0; band < colors; band++) out[band] = (guint16)((table[in[band]] * alpha + 127) / 255);
        out[colors] = plain.input[alpha];
    }
}

void write_line(const Bands *bands, const guint16 *in, int width, VipsPel *out) {
    const VipsPel *table = (bands->in_light ? &light : &plain)->output;
    if (!bands->has_alpha) {
        for (int i = 0; i < width * bands->count; i++) out[i] = table[in[i] >> unused_bits];
        return;
    }
    int colors = bands->count - 1;
    for (int x = 0; x < width; x++, in += colors + 1, out += colors + 1) {
        guint alpha = in[colors];
        out[colors] = plain.output[alpha >> unused_bits];
        for (int band = 0; band < colors; band++) {
            guint color = alpha ? (guint)VIPS_MIN((guint64)in[band] * full / alpha, full) : 0;
            out[band] = table[color >> unused_bits];
        }
    }
}
