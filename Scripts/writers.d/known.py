"""What attachd refuses rightly, and what another program does wrong: each with its reason."""

import re

# Of the file's name, of the problem, and why.
KNOWN = [
    (r"^(jpeg|mpo|webp)-1-", "frame 0: a block is wrong by [67]", "loaders that shrink add up values, not light: dithered pictures get darker"),
    (r"^png-1-17", "frame 0: a block is wrong by 7", "black with half its alpha, where the check has half of its light"),
    (r"^webp-moving-soft", "wrong by", "a GIF has one bit of alpha"),
    (r"^gif-moving", "frame [123]: a block", "Pillow writes differences from a first frame that is to be taken away (disposal 3)"),
    (r"^clip-(av1|vp|msmpeg|wmv|prores|raw|theora|ffv1|mjpeg|flv1|hevc).*\.(mpg|vob)$", "", "ffmpeg writes what a program stream cannot hold"),
    (r"^vips-debian-heif-(srgba|b-wa)-.*avif", "corrupt", "libheif 1.15 writes 10 bits with alpha so that no reader finds the picture"),
    (r"^vips-debian-heif-scrgb-", "wrong by", "libvips 8.14 writes the floats of scRGB as levels of 255"),
    (r"^vips-debian-heif-turned-", "", "libvips 8.14 turns by EXIF alone, while a HEIF is turned by its own properties"),
    (r"^vips-debian-png-(b-w|float)-04[89]", "wrong by", "libvips 8.14 spoils grey values when it widens them to 16 bits"),
    (r"^vips-wheel-jpeg-scrgb-", "wrong by", "the picture below a gain map, darkened by libvips 8.18: what LittleCMS shows of it, too"),
    (r"^vips-wheel-tiff-scrgba-", "wrong by", "libvips 8.18 writes alpha up to 1 beside floats, 8.14 up to 255, and a TIFF does not say which"),
    (r"^vips-(debian|wheel)-tiff-(labq|labs)-", "", "L*a*b* in JPEG, WebP or JPEG 2000 has no meaning in TIFF"),
    (r"^vips-(debian|wheel)-tiff-double-", "unsupportedFormat", "libvips reads no floats of 64 bits"),
    (r"^vips-debian-tiff-cmyk-", "wrong by 1", "a JPEG of inks that is called RGB"),
]


def is_known(case, problem):
    return any(re.search(name, case.path.name) and re.search(text, problem) for name, text, _ in KNOWN)
