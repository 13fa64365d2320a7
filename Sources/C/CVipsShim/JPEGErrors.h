#pragma once
#include <setjmp.h>
#include <stdio.h>
// After stdio.h, whose types it uses.
#include <jpeglib.h>

/// libjpeg's handlers of errors, and the place to go on after one.
typedef struct {
    struct jpeg_error_mgr manager;
    jmp_buf end;
} Errors;

/// Sets the handlers: an error goes into libvips' error buffer, and libjpeg's caller goes on at `end`. Warnings are dropped.
void handle_jpeg_errors(struct jpeg_error_mgr **manager, Errors *errors);
