#pragma once
#include <vips/vips.h>

// On x86, such a function is compiled for newer processors, too, and the loader chooses by processor.
#ifdef __x86_64__
#define VECTORISED __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define VECTORISED
#endif

/// The greatest value of light.
enum { full = 65535 };

/// A picture's bands, and whether their values become light; CMYK stays as it is.
typedef struct {
    int count;
    gboolean has_alpha;
    gboolean in_light;
} Bands;

/// Fills the tables.
void prepare_light(void);

/// Converts a row to light. Colors count by their alpha, so that the invisible color of transparent pixels does not
/// mix into visible ones.
void read_row(const Bands *bands, const VipsPel *in, int width, guint16 *out);

/// Converts a line of light to values.
void write_line(const Bands *bands, const guint16 *in, int width, VipsPel *out);
