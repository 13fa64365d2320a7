"""Every picture that Pillow can write in a format that attachd reads: modes × options."""

import itertools

from PIL import Image, ImageCms, PngImagePlugin, TiffImagePlugin, features

from scene import CANARY, Case, exif, in_profile, is_shared, profile, scene, scene_with_alpha, upright_as_stored

FORMATS = {"JPEG": "jpg", "PNG": "png", "GIF": "gif", "WEBP": "webp", "AVIF": "avif", "TIFF": "tif", "MPO": "jpg"}
# What attachd doesn't read, and must say so.
OTHERS = {"BMP": "bmp", "ICO": "ico", "JPEG2000": "jp2", "PPM": "ppm", "TGA": "tga", "PCX": "pcx", "SGI": "sgi", "DDS": "dds",
          "QOI": "qoi", "PDF": "pdf", "EPS": "eps", "ICNS": "icns", "IM": "im", "DIB": "dib", "XBM": "xbm"}


def modes():
    """Each mode's picture with what it shows."""
    plain, clear = scene(), scene_with_alpha()
    gray = plain.convert("L")
    yield "RGB", plain, plain
    yield "L", gray, gray
    yield "1", plain.convert("1"), plain.convert("1")
    yield "P", plain.convert("P", palette=Image.Palette.ADAPTIVE, colors=200), None
    yield "P16", plain.convert("P", palette=Image.Palette.ADAPTIVE, colors=16), None
    yield "P2", plain.convert("P", palette=Image.Palette.ADAPTIVE, colors=2), None
    yield "PA", clear.convert("PA"), None
    yield "RGBA", clear, clear
    yield "LA", clear.convert("LA"), clear.convert("LA")
    yield "CMYK", plain.convert("CMYK"), plain
    yield "YCbCr", plain.convert("YCbCr"), plain
    srgb, lab = ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB")
    yield "LAB", ImageCms.profileToProfile(plain, srgb, lab, outputMode="LAB"), plain
    yield "HSV", plain.convert("HSV"), plain
    wide = Image.new("I", gray.size)
    wide.putdata([value * 257 for value in gray.getdata()])
    yield "I", wide, gray
    yield "I;16", wide.convert("I;16"), gray
    yield "I;16B", wide.convert("I;16B"), gray
    yield "F", gray.convert("F"), gray


def product(**options):
    for values in itertools.product(*options.values()):
        yield {key: value for key, value in zip(options, values) if value is not None}


def options(format, mode):
    text = CANARY.encode()
    if format in ("JPEG", "MPO"):
        yield from product(quality=[1, 50, 100], subsampling=[0, 1, 2], progressive=[None, True])
        yield from product(quality=[85], optimize=[True], restart_marker_blocks=[None, 1, 5], progressive=[None, True])
        yield from product(quality=[85], restart_marker_rows=[1], subsampling=[0, 2])
        yield from product(quality=[85], dpi=[(72, 72), (300, 150)], comment=[text], exif=[exif()], xmp=[text])
        yield from product(keep_rgb=[True], quality=[90])
        yield from product(streamtype=[2], quality=[90], smooth=[20])
    elif format == "PNG":
        yield from product(compress_level=[0, 1, 9], compress_type=[0, 1, 2, 3, 4])
        yield {"optimize": True}
        info = PngImagePlugin.PngInfo()
        info.add_text("Comment", CANARY)
        info.add_text("Long", CANARY * 50, zip=True)
        info.add_itxt("XML:com.adobe.xmp", CANARY)
        yield {"pnginfo": info, "exif": exif(), "dpi": (300, 300)}
        yield from product(bits=[8] if mode == "P" else [4, 8] if mode == "P16" else [1, 2, 4, 8] if mode == "P2" else [])
        if mode in ("RGB", "L", "1", "I;16", "I"):
            yield {"transparency": (40, 170, 60) if mode == "RGB" else 255 if mode in ("L", "1") else 65535}
    elif format == "GIF":
        yield from product(interlace=[0, 1], optimize=[None, True], comment=[text])
    elif format == "WEBP":
        yield from product(lossless=[True], exact=[None, True], quality=[0, 100], method=[0, 6])
        yield from product(quality=[1, 50, 100], alpha_quality=[10, 100], method=[0, 4])
        yield {"exif": exif(), "xmp": text, "icc_profile": profile("srgb")}
    elif format == "AVIF":
        yield from product(quality=[30, 90, 100], subsampling=["4:4:4", "4:2:2", "4:2:0", "4:0:0"], speed=[10])
        yield from product(range=["full", "limited"], subsampling=["4:4:4", "4:2:0"], speed=[10], alpha_premultiplied=[None, True])
        yield from product(codec=["aom"], tile_rows=[0, 1], autotiling=[False], speed=[10])
        yield {"exif": exif(), "xmp": text, "speed": 10}
    elif format == "TIFF":
        for name in (None, "raw", "tiff_lzw", "tiff_adobe_deflate", "tiff_deflate", "packbits", "jpeg", "group3", "group4", "tiff_ccitt",
                     "tiff_raw_16", "tiff_sgilog", "tiff_sgilog24", "lzma", "zstd", "webp", "tiff_thunderscan"):
            yield {"compression": name} if name else {}
            yield {"compression": name, "big_tiff": True} if name else {"big_tiff": True}
            yield {"compression": name, "strip_size": 900} if name else {"strip_size": 900}
        yield {"tiffinfo": {270: CANARY, 305: CANARY}, "dpi": (300, 100), "exif": exif()}
        yield {"compression": "tiff_lzw", "tiffinfo": {317: 2}}
        yield {"compression": "tiff_adobe_deflate", "tiffinfo": {317: 2}}
        yield {"compression": "jpeg", "quality": 30}
    else:
        yield {}


def shown(picture, truth, format, option):
    """What a reader of the file shows."""
    truth = truth or picture.convert("RGBA")
    if "transparency" in option:
        key = option["transparency"]
        pixels = truth.convert("RGBA")
        wanted = key if isinstance(key, tuple) else (255, 255, 255)
        pixels.putdata([(*p[:3], 0 if p[:3] == wanted else 255) for p in pixels.getdata()])
        return pixels
    if option.get("subsampling") == "4:0:0":
        truth = Image.merge("LA", (truth.convert("L"), truth.convert("RGBA").getchannel("A"))).convert("RGBA")
    if format == "GIF" and truth.mode in ("RGBA", "LA"):
        alpha = truth.getchannel("A").point(lambda a: 255 if a else 0)
        truth = truth.convert("RGBA")
        truth.putalpha(alpha)
    return truth.convert("RGBA")


def slack(mode, format, option):
    # libvips takes L*a*b* for that of D65, Pillow for that of D50: saturated colours differ.
    if mode in ("CMYK", "LAB") or option.get("quality") == 1:
        return 80
    if format == "GIF" or mode == "1" or mode.startswith("P"):
        return 45
    if option.get("quality", 100) <= 50 or option.get("subsampling") in ("4:2:0", "4:2:2") and "A" in mode or "tiff_sgilog" in str(option):
        return 26
    return 14


class Folder:
    def __init__(self, folder):
        self.folder, self.cases, self.count = folder, [], 0

    def save(self, name, picture, format, truth, allowed=14, refused=None, times=None, **option):
        self.count += 1
        if not is_shared(self.count):
            return
        extension = FORMATS.get(format) or OTHERS[format]
        path = self.folder / f"{format.lower()}-{name.replace(';', '')}.{extension}"
        try:
            picture.save(path, format, **option)
        except (OSError, ValueError, KeyError, TypeError, RuntimeError, SystemError, AttributeError):
            path.unlink(missing_ok=True)
            return
        # Another format than TIFF 6.0, which Pillow writes only without libtiff, whatever it is asked for.
        if path.read_bytes()[:4] in (b"II+\0", b"MM\0+"):
            refused = "unrecognizedFormat"
        self.cases.append(Case("Pillow", format, path, truth, slack=allowed, refused=refused, times=times))


def write(folder):
    out = Folder(folder)
    for format in FORMATS:
        for mode, picture, truth in modes():
            # Pillow cuts wide values off before it writes 8 bits, and nothing says what 32 bits or floats mean.
            if mode.startswith("I") and format not in ("PNG", "TIFF") or mode in ("I", "F") and format == "TIFF":
                continue
            if mode in ("LAB", "HSV") and format != "TIFF":
                continue
            for number, option in enumerate(options(format, mode)):
                refused = None
                # YCbCr without JPEG, which libvips takes for RGB, and a JPEG without its tables.
                if mode == "YCbCr" and format == "TIFF" and option.get("compression") != "jpeg":
                    refused = "unsupportedFormat"
                if option.get("streamtype"):
                    refused = "corrupt"
                out.save(f"{mode}-{number:02}", picture, format, [shown(picture, truth, format, option)], slack(mode, format, option),
                         refused, **option)
    for format in OTHERS:
        for mode, picture, truth in modes():
            out.save(mode, picture, format, None, refused="unrecognizedFormat")
    orientations(out)
    profiles(out)
    animations(out)
    sizes(out)
    return out.cases


def orientations(out):
    for format in ("JPEG", "PNG", "WEBP", "AVIF", "TIFF"):
        for mode, picture in (("RGB", scene()), ("L", scene().convert("L")), ("RGBA", scene_with_alpha())):
            for orientation in range(10):
                stored = upright_as_stored(picture, orientation)
                more = {"quality": 95} if format != "TIFF" and format != "PNG" else {}
                out.save(f"turned-{mode}-{orientation}", stored, format, [picture.convert("RGBA")], exif=exif(orientation), **more)
        for orientation in (3, 6, 8):
            # The right tag in XMP alone.
            xmp = ('<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description '
                   f'xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="{orientation}"/></rdf:RDF></x:xmpmeta>').encode()
            if format in ("JPEG", "WEBP"):
                out.save(f"turned-xmp-{orientation}", upright_as_stored(scene(), orientation), format, [scene().convert("RGBA")], xmp=xmp,
                         quality=95)


def profiles(out):
    for kind in ("srgb", "p3", "adobe", "prophoto", "linear", "gamma18", "swapped", "gray18", "graylinear"):
        blob = profile(kind)
        gray = kind.startswith("gray")
        stored, truth = in_profile(scene(), blob, "L" if gray else "RGB")
        clear = stored.convert("LA" if gray else "RGBA")
        clear.putalpha(scene_with_alpha().getchannel("A"))
        truth_clear = truth.convert("RGBA")
        truth_clear.putalpha(scene_with_alpha().getchannel("A"))
        for format in ("JPEG", "PNG", "WEBP", "AVIF", "TIFF"):
            more = {"quality": 95} if format in ("JPEG", "WEBP", "AVIF") else {}
            if format == "WEBP" and gray:
                continue
            out.save(f"profile-{kind}", stored, format, [truth.convert("RGBA")], 20, icc_profile=blob, **more)
            out.save(f"profile-{kind}-alpha", clear, format, [truth_clear], 20, icc_profile=blob, **more)
            # A profile of another kind of pixels, and one that is damaged: the pixels are sRGB.
            other = profile("gray18" if not gray else "adobe")
            out.save(f"profile-not-{kind}", scene().convert("L" if gray else "RGB"), format,
                     [scene().convert("L" if gray else "RGB").convert("RGBA")], 20, icc_profile=other, **more)
            out.save(f"profile-cut-{kind}", scene(), format, [scene().convert("RGBA")], 20, icc_profile=blob[:200], **more)
        paletted = stored.convert("P", palette=Image.Palette.ADAPTIVE, colors=250) if not gray else stored
        out.save(f"profile-{kind}-palette", paletted, "PNG", [truth.convert("RGBA")], 30, icc_profile=blob)


def animations(out):
    plain = [scene(phase=phase) for phase in range(4)]
    clear = [scene_with_alpha(phase=phase, steps=2) for phase in range(4)]
    soft = [scene_with_alpha(phase=phase) for phase in range(4)]
    for name, frames in (("RGB", plain), ("RGBA", clear), ("soft", soft), ("L", [f.convert("L") for f in plain]),
                         ("P", [f.convert("P", palette=Image.Palette.ADAPTIVE, colors=64) for f in plain]), ("1", [f.convert("1") for f in plain])):
        truth = [shown(frame, frame, "GIF", {}) for frame in frames]
        for number, option in enumerate(product(disposal=[0, 1, 2, 3], loop=[None, 0, 3], optimize=[None, True], interlace=[0, 1],
                                                duration=[[100, 250, 40, 500], 0, 10])):
            if name != "RGB" and number % 3:
                continue
            times = option["duration"] if isinstance(option["duration"], list) else [option["duration"]] * 4
            out.save(f"moving-{name}-{number:03}", frames[0], "GIF", truth, 40, times=times, save_all=True, append_images=frames[1:], **option)
        for number, option in enumerate(product(blend=[0, 1], disposal=[0, 1, 2], default_image=[False], loop=[0, 2])):
            out.save(f"moving-{name}-{number:03}", frames[0], "PNG", truth[:1], save_all=True, append_images=frames[1:], duration=100, **option)
        for number, option in enumerate(product(lossless=[True, False], minimize_size=[None, True], allow_mixed=[None, True], kmin=[None, 1],
                                                duration=[[100, 250, 40, 500]], loop=[0, 2], background=[None, (10, 20, 30, 255)])):
            out.save(f"moving-{name}-{number:03}", frames[0], "WEBP", truth, 40, times=option["duration"], save_all=True,
                     append_images=frames[1:], **option)
        out.save(f"moving-{name}", frames[0], "AVIF", truth[:1], 20, save_all=True, append_images=frames[1:], duration=100, speed=10)
        out.save(f"pages-{name}", frames[0], "TIFF", truth[:1], 20, save_all=True, append_images=frames[1:])
        out.save(f"pages-{name}", frames[0], "MPO", truth[:1], 20, save_all=True, append_images=frames[1:], quality=90)


def sizes(out):
    for width, height in ((1, 1), (1, 90), (90, 1), (2, 3), (7, 9), (16, 16), (17, 33), (33, 8), (257, 3), (3, 513)):
        picture = scene(200, 150).resize((width, height), Image.Resampling.BOX)
        clear = picture.convert("RGBA")
        clear.putalpha(160)
        for format in ("JPEG", "PNG", "GIF", "WEBP", "AVIF", "TIFF"):
            more = {"JPEG": {"quality": 98, "subsampling": 0}, "WEBP": {"lossless": True}, "AVIF": {"quality": 95, "subsampling": "4:4:4"}}
            out.save(f"size-{width}x{height}", picture, format, [picture.convert("RGBA")], 90, **more.get(format, {}))
            if format != "GIF":
                out.save(f"size-{width}x{height}-clear", clear, format, [clear], 90, **more.get(format, {}))
