// The comparison for the image benchmark: libvips alone, in one process, with the same work as attachd's decoder.
// vips-loop COUNT FILE.jpg...: scales the files down in turn, COUNT times in all, and prints images per second.
//
// cc -O2 vips-loop.c -o vips-loop $(pkg-config --cflags --libs vips)
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <vips/vips.h>

enum { long_edge = 1038, quality = 82 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

/// The loader's own shrinking leaves the picture at least 1.5 times as large as its final size.
static int shrink_on_load(int edge) {
    for (int shrink = 8; shrink > 1; shrink /= 2)
        if (edge >= long_edge * shrink * 3 / 2) return shrink;
    return 1;
}

static int scale_down(void *bytes, size_t count) {
    VipsImage *header = NULL, *loaded = NULL, *scaled = NULL;
    void *jpeg = NULL;
    size_t size = 0;
    int status = -1;
    if (vips_jpegload_buffer(bytes, count, &header, NULL)) goto end;
    int edge = VIPS_MAX(header->Xsize, header->Ysize);
    if (vips_jpegload_buffer(bytes, count, &loaded, "shrink", shrink_on_load(edge), "access", VIPS_ACCESS_SEQUENTIAL,
                             NULL))
        goto end;
    double scale = VIPS_MIN(1.0, (double)long_edge / VIPS_MAX(loaded->Xsize, loaded->Ysize));
    if (vips_resize(loaded, &scaled, scale, NULL)) goto end;
    status = vips_jpegsave_buffer(scaled, &jpeg, &size, "Q", quality, "optimize_coding", TRUE, "strip", TRUE, NULL);
end:
    VIPS_UNREF(header);
    VIPS_UNREF(loaded);
    VIPS_UNREF(scaled);
    g_free(jpeg);
    return status;
}

int main(int argc, char **argv) {
    int count = argc > 2 ? atoi(argv[1]) : 0;
    if (count < 1) {
        fprintf(stderr, "usage: vips-loop COUNT FILE.jpg...\n");
        return 64;
    }
    if (VIPS_INIT(argv[0])) vips_error_exit(NULL);
    vips_concurrency_set(1);
    vips_cache_set_max(0);
    double start = now();
    for (int i = 0; i < count; i++) {
        gchar *bytes = NULL;
        gsize length = 0;
        if (!g_file_get_contents(argv[2 + i % (argc - 2)], &bytes, &length, NULL)) return 66;
        if (scale_down(bytes, length)) vips_error_exit(NULL);
        g_free(bytes);
    }
    printf("%.2f\n", count / (now() - start));
    vips_shutdown();
    return 0;
}
