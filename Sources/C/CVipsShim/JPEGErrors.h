#pragma once
#include <setjmp.h>
#include <stdio.h>
// After stdio.h, whose types it uses.
#include <jpeglib.h>

/// libjpeg's handlers of errors, and the place to go on after one.
typedef struct {
    struct jpeg_error_mgr manager;
    jmp_buf end;
    /// Whether the marker at the end was missing, and whether bits of coefficients were.
    int lacks_end, lacks_bits;
} Errors;

/// Sets the handlers: an error goes into libvips' error buffer, and libjpeg's caller goes on at `end`. Warnings are noted.
void handle_jpeg_errors(struct jpeg_error_mgr **manager, Errors *errors);

/// Notes what a warning says is missing.
void note_jpeg_warning(Errors *errors);

/// Returns whether a picture that was read to its end has all its coefficients, even if the marker at its end is missing.
int has_all_coefficients(j_decompress_ptr info, const Errors *errors);
