#include "CVipsShim.h"

int cvips_attention(VipsImage *in, int width, int height, int *left, int *top) {
    VipsImage *part;
    if (vips_smartcrop(in, &part, width, height, "interesting", VIPS_INTERESTING_ATTENTION, NULL)) return -1;
    *left = -part->Xoffset;
    *top = -part->Yoffset;
    g_object_unref(part);
    return 0;
}
