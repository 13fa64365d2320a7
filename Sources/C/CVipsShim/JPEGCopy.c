#include "CVipsShim.h"
#include "JPEGErrors.h"

static void give_up(j_common_ptr info) { longjmp(((Errors *)info->err)->end, 1); }

/// Gives up at a warning, too: a damaged picture has wrong coefficients.
static void receive(j_common_ptr info, int level) {
    if (level < 0) give_up(info);
}

typedef struct {
    struct jpeg_progress_mgr manager;
    int scan_count;
} Progress;

/// Gives up at a scan that the caller has not seen: each may cost as much as the whole picture.
static void count_scans(j_common_ptr info) {
    int limit = ((Progress *)info->progress)->scan_count;
    if (info->is_decompressor && ((j_decompress_ptr)info)->input_scan_number > limit) give_up(info);
}

static void begin_output(j_compress_ptr out) {}
static boolean refuse_more(j_compress_ptr out) {
    give_up((j_common_ptr)out);
    return FALSE;
}
static void end_output(j_compress_ptr out) {}

static int component_index(const struct jpeg_decompress_struct *in, int identifier) {
    for (int i = 0; i < in->num_components; i++)
        if (in->comp_info[i].component_id == identifier) return i;
    return -1;
}

/// Fills in `script`. Returns -1 if a scan names a component that the picture does not have.
static int make_script(const struct jpeg_decompress_struct *in, const cvips_scan *scans, int count,
                       jpeg_scan_info *script) {
    for (int i = 0; i < count; i++) {
        const cvips_scan *scan = &scans[i];
        if (scan->component_count < 1 || scan->component_count > 4) return -1;
        script[i] = (jpeg_scan_info){
            .comps_in_scan = scan->component_count,
            .Ss = scan->first_coefficient,
            .Se = scan->last_coefficient,
            .Ah = scan->high_bit,
            .Al = scan->low_bit,
        };
        for (int k = 0; k < scan->component_count; k++) {
            int index = component_index(in, scan->components[k]);
            if (index < 0) return -1;
            script[i].component_index[k] = index;
        }
    }
    return 0;
}

long cvips_jpeg_copy(const unsigned char *bytes, size_t count, const cvips_scan *scans, int scan_count,
                     unsigned char *copy, size_t capacity) {
    struct jpeg_decompress_struct in = {0};
    struct jpeg_compress_struct out = {0};
    Errors errors;
    Progress progress = {.manager.progress_monitor = count_scans, .scan_count = scan_count};
    struct jpeg_destination_mgr destination = {
        .next_output_byte = copy,
        .free_in_buffer = capacity,
        .init_destination = begin_output,
        .empty_output_buffer = refuse_more,
        .term_destination = end_output,
    };
    jpeg_scan_info script[cvips_most_scans];
    volatile long copied = -1;
    if (scan_count < 1 || scan_count > cvips_most_scans) return -1;
    in.err = out.err = jpeg_std_error(&errors.manager);
    errors.manager.error_exit = give_up;
    errors.manager.emit_message = receive;
    if (setjmp(errors.end)) goto end;
    jpeg_create_decompress(&in);
    jpeg_create_compress(&out);
    in.progress = &progress.manager;
    out.dest = &destination;
    jpeg_mem_src(&in, bytes, count);
    jpeg_read_header(&in, TRUE);
    if (make_script(&in, scans, scan_count, script)) goto end;
    // Reads up to the end of the picture, so that libjpeg complains about bytes between the coefficients and the end.
    jvirt_barray_ptr *coefficients = jpeg_read_coefficients(&in);
    if (in.input_scan_number != scan_count) goto end;
    jpeg_copy_critical_parameters(&in, &out);
    // A JFIF header without the source's resolution. It or Adobe's says what the colours are.
    if (!in.saw_JFIF_marker && !in.saw_Adobe_marker) out.write_JFIF_header = FALSE;
    out.density_unit = 0;
    out.X_density = out.Y_density = 1;
    out.JFIF_major_version = out.JFIF_minor_version = 1;
    out.optimize_coding = TRUE;
    out.scan_info = script;
    out.num_scans = scan_count;
    jpeg_write_coefficients(&out, coefficients);
    jpeg_finish_compress(&out);
    copied = (long)(capacity - destination.free_in_buffer);
end:
    jpeg_destroy_compress(&out);
    jpeg_destroy_decompress(&in);
    return copied;
}
