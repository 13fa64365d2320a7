#define _GNU_SOURCE
#include "CProcess.h"
#include <link.h>
#include <string.h>

struct paths {
    char *text;
    size_t capacity, count;
};

static int add_path(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    struct paths *paths = context;
    size_t length = strlen(info->dlpi_name) + 1;
    // The program itself has no name here.
    if (length == 1 || length > paths->capacity - paths->count) return 0;
    memcpy(paths->text + paths->count, info->dlpi_name, length);
    paths->count += length;
    return 0;
}

size_t cprocess_loaded_libraries(char *text, size_t capacity) {
    struct paths paths = {text, capacity, 0};
    dl_iterate_phdr(add_path, &paths);
    return paths.count;
}
