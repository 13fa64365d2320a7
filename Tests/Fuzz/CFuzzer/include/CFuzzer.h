#pragma once
#include <stddef.h>
#include <stdint.h>

/// libFuzzer's main loop, with the arguments of its own command line. Returns when it is told to end by them.
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*test)(const uint8_t *bytes, size_t byte_count));
