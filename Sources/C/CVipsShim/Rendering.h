#pragma once
#include "CVipsShim.h"

// High enough that the rows shared by neighbouring strips inside libvips are a small part of each.
enum { strip_height = 64 };

/// Returns memory for a picture like `in` with this size, with its colour profile and no other metadata.
/// Its pixels are not set.
VipsImage *memory_image(VipsImage *in, int width, int height);

/// Makes the rows from `first` on black.
void blacken(VipsImage *image, int first);

/// Fills the tables of the scaler. A decoder process inherits them.
void cvips_prepare_scaling(void);
