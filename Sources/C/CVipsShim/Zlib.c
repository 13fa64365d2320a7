#include "CVipsShim.h"

#include <gio/gio.h>

gssize cvips_zlib_length(const void *bytes, size_t count, size_t size) {
    char content[1 << 15];
    GConverter *converter = G_CONVERTER(g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_ZLIB));
    GConverterResult result = G_CONVERTER_CONVERTED;
    size_t length = 0, made = 0;
    while (result == G_CONVERTER_CONVERTED && made <= size) {
        gsize read = 0, written = 0;
        result = g_converter_convert(converter, (const char *)bytes + length, count - length, content, sizeof content,
                                     G_CONVERTER_NO_FLAGS, &read, &written, NULL);
        length += read;
        made += written;
    }
    g_object_unref(converter);
    return result == G_CONVERTER_FINISHED && made == size ? (gssize)length : -1;
}
