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
