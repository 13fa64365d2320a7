#define _GNU_SOURCE
#include "Rendering.h"

#include <dlfcn.h>
#include <gmodule.h>
#include <vips/vector.h>

static GLogWriterOutput drop(GLogLevelFlags level, const GLogField *fields, gsize count, gpointer user) {
    return G_LOG_WRITER_HANDLED;
}

// Of libvips' plugin modules, only the HEIF one is useful; the others load ImageMagick, poppler, and OpenSlide. A
// VIPSHOME that does not exist loads none, and this function loads the HEIF module from the folder beside the library.
static void load_heif_module(void) {
    Dl_info library;
    if (vips_type_find("VipsForeignLoad", "heifload_source") || !dladdr((void *)vips_init, &library)) return;
    char *folder = g_path_get_dirname(library.dli_fname);
    char *path = g_strdup_printf(
        "%s/vips-modules-%d.%d/vips-heif.so", folder, vips_version(0), vips_version(1));
    GModule *module = g_module_open(path, G_MODULE_BIND_LAZY);
    if (module) g_module_make_resident(module);
    g_free(path);
    g_free(folder);
}

int cvips_start(void) {
    static const char *const used[] = {
        "VipsForeignLoadJpegSource", "VipsForeignLoadPngSource",  "VipsForeignLoadNsgifSource",
        "VipsForeignLoadWebpSource", "VipsForeignLoadHeifSource", "VipsForeignLoadTiffSource",
        "VipsForeignSavePngBuffer",
    };
    // The default writer checks whether stderr is journald's with getpeername, which kills a confined process.
    g_log_set_writer_func(drop, NULL, NULL);
    if (vips_init("attachd-decoder")) return -1;
    load_heif_module();
    vips_concurrency_set(1);
    vips_cache_set_max(0);
    // liborc compiles at run time, so it needs memory that is writable and executable, and a file for it.
    vips_vector_set_enabled(FALSE);
    vips_block_untrusted_set(TRUE);
    cvips_prepare_scaling();
    vips_operation_block_set("VipsForeignLoad", TRUE);
    vips_operation_block_set("VipsForeignSave", TRUE);
    for (size_t i = 0; i < G_N_ELEMENTS(used); i++) vips_operation_block_set(used[i], FALSE);
    return 0;
}

VipsSource *cvips_source_new(cvips_read read, cvips_seek seek, cvips_release release, void *user) {
    VipsSourceCustom *source = vips_source_custom_new();
    g_signal_connect_data(source, "read", G_CALLBACK(read), user, release, 0);
    g_signal_connect(source, "seek", G_CALLBACK(seek), user);
    return VIPS_SOURCE(source);
}

#define SEQUENTIAL "access", VIPS_ACCESS_SEQUENTIAL, "fail_on", fail_on

int cvips_jpegload(VipsSource *source, int shrink, VipsFailOn fail_on, VipsImage **out) {
    return vips_jpegload_source(source, out, SEQUENTIAL, "shrink", shrink, NULL);
}

int cvips_pngload(VipsSource *source, VipsFailOn fail_on, VipsImage **out) {
    return vips_pngload_source(source, out, SEQUENTIAL, NULL);
}

int cvips_gifload(VipsSource *source, int frames, VipsFailOn fail_on, VipsImage **out) {
    return vips_gifload_source(source, out, SEQUENTIAL, "n", frames, NULL);
}

int cvips_webpload(VipsSource *source, int frames, double scale, VipsFailOn fail_on, VipsImage **out) {
    return vips_webpload_source(source, out, SEQUENTIAL, "n", frames, "scale", scale, NULL);
}

int cvips_heifload(VipsSource *source, VipsFailOn fail_on, VipsImage **out) {
    return vips_heifload_source(source, out, SEQUENTIAL, NULL);
}

int cvips_tiffload(VipsSource *source, VipsFailOn fail_on, VipsImage **out) {
    return vips_tiffload_source(source, out, SEQUENTIAL, "page", 0, NULL);
}

int cvips_crop(VipsImage *in, int left, int top, int width, int height, VipsImage **out) {
    return vips_extract_area(in, out, left, top, width, height, NULL);
}

int cvips_resize(VipsImage *in, double horizontal, double vertical, VipsImage **out) {
    return vips_resize(in, out, horizontal, "vscale", vertical, NULL);
}

int cvips_premultiply(VipsImage *in, VipsImage **out) { return vips_premultiply(in, out, NULL); }

int cvips_unpremultiply(VipsImage *in, VipsBandFormat format, VipsImage **out) {
    VipsImage *exact = NULL, *rounded = NULL;
    int status = vips_unpremultiply(in, &exact, NULL) || vips_rint(exact, &rounded, NULL) ||
                         vips_cast(rounded, out, format, NULL)
                     ? -1
                     : 0;
    VIPS_UNREF(exact);
    VIPS_UNREF(rounded);
    return status;
}

int cvips_to_8_bit(VipsImage *in, VipsImage **out) {
    gboolean shift = in->BandFmt == VIPS_FORMAT_USHORT;
    return vips_cast(in, out, VIPS_FORMAT_UCHAR, "shift", shift, NULL);
}

int cvips_colorspace(VipsImage *in, VipsInterpretation space, VipsImage **out) {
    return vips_colourspace(in, out, space, NULL);
}

int cvips_icc_to_srgb(VipsImage *in, gboolean embedded, const char *fallback, VipsIntent intent, VipsImage **out) {
    return vips_icc_transform(in, out, "srgb", "embedded", embedded, "input_profile", fallback, "intent", intent,
                              "black_point_compensation", TRUE, NULL);
}

int cvips_flatten(VipsImage *in, double gray, VipsImage **out) {
    double grays[] = {gray, gray, gray};
    VipsArrayDouble *background = vips_array_double_new(grays, in->Bands > 2 ? 3 : 1);
    int status = vips_flatten(in, out, "background", background, NULL);
    vips_area_unref(VIPS_AREA(background));
    return status;
}

int cvips_first_bands(VipsImage *in, int count, VipsImage **out) {
    return vips_extract_band(in, out, 0, "n", count, NULL);
}

int cvips_rotate(VipsImage *in, VipsAngle angle, VipsImage **out) { return vips_rot(in, out, angle, NULL); }

int cvips_flip(VipsImage *in, VipsDirection direction, VipsImage **out) { return vips_flip(in, out, direction, NULL); }

int cvips_is_opaque(VipsImage *in) {
    if (vips_image_wio_input(in)) return -1;
    if (!vips_image_hasalpha(in) || in->BandFmt != VIPS_FORMAT_UCHAR) return 1;
    for (int y = 0; y < in->Ysize; y++) {
        const VipsPel *alpha = VIPS_IMAGE_ADDR(in, 0, y) + in->Bands - 1;
        for (int x = 0; x < in->Xsize; x++)
            if (alpha[x * in->Bands] != 255) return 0;
    }
    return 1;
}

int cvips_is_gray(VipsImage *in) {
    if (vips_image_wio_input(in)) return -1;
    if (in->Bands < 3 || in->BandFmt != VIPS_FORMAT_UCHAR) return in->Bands < 3;
    for (int y = 0; y < in->Ysize; y++) {
        const VipsPel *values = VIPS_IMAGE_ADDR(in, 0, y);
        for (int x = 0; x < in->Xsize; x++, values += in->Bands)
            if (values[0] != values[1] || values[0] != values[2]) return 0;
    }
    return 1;
}

int cvips_gray_bands(VipsImage *in, VipsImage **out) {
    VipsImage *gray = NULL, *alpha = NULL, *both = NULL;
    int status = vips_extract_band(in, &gray, 0, NULL);
    if (!status && in->Bands > 3)
        status = vips_extract_band(in, &alpha, 3, NULL) || vips_bandjoin2(gray, alpha, &both, NULL);
    if (!status) status = vips_copy(both ? both : gray, out, "interpretation", VIPS_INTERPRETATION_B_W, NULL);
    VIPS_UNREF(gray);
    VIPS_UNREF(alpha);
    VIPS_UNREF(both);
    return status ? -1 : 0;
}

int cvips_pngsave(VipsImage *in, gboolean palette, void **bytes, size_t *count) {
    return vips_pngsave_buffer(in, bytes, count, "palette", palette, "strip", TRUE, NULL);
}
