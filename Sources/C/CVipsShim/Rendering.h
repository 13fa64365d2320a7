#pragma once
#include "CVipsShim.h"

/// The source of a picture's rows, from top to bottom, for the scaler.
typedef struct Rows Rows;
struct Rows {
    int width;
    int height;
    /// The most rows at a time.
    int strip;
    /// Computes the next rows, at most `strip` of them, which are `distance` bytes apart and valid until the next
    /// call. Returns their number, or -1 with the reason in libvips' error buffer.
    int (*next)(Rows *rows, const VipsPel **first, size_t *distance);
};

// High enough that the rows shared by neighbouring strips inside libvips are a small part of each.
enum { strip_height = 64 };

/// Returns memory for a picture like `in` with this size, with its color profile and no other metadata.
/// Its pixels are not set.
VipsImage *memory_image(VipsImage *in, int width, int height);

/// Scales rows of pixels in linear light, into a new picture with the bands, colors and profile of `like`. Calls `keep`
/// before each strip counts; `complete` is the number of the new picture's rows before it refused.
int render_scaled(Rows *rows, VipsImage *like, int width, int height, cvips_keep keep, void *user, VipsImage **out,
                  int *complete);

/// Makes the rows from `first` on black.
void blacken(VipsImage *image, int first);

/// Fills the tables of the scaler. A decoder process inherits them.
void cvips_prepare_scaling(void);
