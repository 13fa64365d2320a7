"""Every picture that libvips can write in a format that attachd reads. As a program, `vips_writer FOLDER debian|wheel FIRST`
writes the pictures from a number on and prints the pickled cases: one process can load one libvips, Debian's 8.14 or the 8.18
of the package from Python's registry, and some of their writers crash."""

import io
import itertools
import pathlib
import pickle
import subprocess
import sys

if __name__ == "__main__" and sys.argv[2] == "debian":
    # Without the compiled module, pyvips loads the system's library.
    sys.modules["_libvips"] = None

import pyvips
from PIL import Image

from pillow_writer import product
from scene import CANARY, SHARE, Case, in_profile, profile, scene, scene_with_alpha

EXTENSIONS = {"jpeg": "jpg", "png": "png", "gif": "gif", "webp": "webp", "tiff": "tif", "heif": "heic"}


def picture(image):
    bands = len(image.getbands())
    made = pyvips.Image.new_from_memory(image.tobytes(), image.width, image.height, bands, "uchar")
    return made.copy(interpretation="srgb" if bands > 2 else "b-w")


def pictures():
    plain, clear = picture(scene()), picture(scene_with_alpha())
    gray = picture(scene().convert("L"))
    yield "srgb", plain, scene()
    yield "srgba", clear, scene_with_alpha()
    yield "b-w", gray, scene().convert("L")
    yield "b-wa", picture(scene_with_alpha().convert("LA")), scene_with_alpha().convert("LA")
    for space in ("rgb16", "lab", "labq", "labs", "xyz", "scrgb", "cmyk", "hsv", "lch", "yxy", "oklab"):
        try:
            yield space, plain.colourspace(space), scene()
        except pyvips.Error:
            continue
        if space in ("rgb16", "scrgb", "lab"):
            yield space + "a", clear.colourspace(space), scene_with_alpha()
    yield "grey16", gray.colourspace("grey16"), scene().convert("L")
    bits = gray > 128
    yield "bits", bits, scene().convert("L").point(lambda v: 255 if v > 128 else 0)
    yield "float", gray.cast("float"), scene().convert("L")
    yield "uint", (gray * 257 * 65537).cast("uint"), None
    yield "short", (gray * 128).cast("short"), None
    yield "double", plain.cast("double"), scene()


def options(saver):
    if saver == "jpeg":
        yield from product(Q=[1, 50, 95], interlace=[False, True], subsample_mode=["on", "off"])
        yield from product(Q=[85], optimize_coding=[True], trellis_quant=[True], restart_interval=[0, 3], quant_table=[0, 3])
        yield from product(Q=[85], overshoot_deringing=[True], optimize_scans=[True], interlace=[True])
    elif saver == "png":
        yield from product(compression=[0, 6], interlace=[False, True], filter=["none", "sub", "up", "avg", "paeth", "all"])
        yield from product(palette=[True], Q=[20, 100], dither=[0.0, 1.0], bitdepth=[1, 2, 4, 8])
        yield from product(bitdepth=[1, 2, 4, 8, 16], interlace=[False, True])
    elif saver == "gif":
        yield from product(dither=[0.0, 1.0], effort=[1, 7], bitdepth=[2, 4, 8], interlace=[None, True])
    elif saver == "webp":
        yield from product(Q=[10, 90], preset=["default", "photo", "text"], smart_subsample=[False, True], alpha_q=[20, 100], effort=[1])
        yield from product(lossless=[True], near_lossless=[None, True], exact=[None, True], effort=[1])
        yield from product(target_size=[None, 3000], passes=[None, 3], smart_deblock=[None, True], effort=[1])
    elif saver == "tiff":
        for compression in ("none", "jpeg", "deflate", "packbits", "ccittfax4", "lzw", "webp", "zstd", "jp2k"):
            yield from product(compression=[compression], predictor=["none", "horizontal", "float"], tile=[False, True])
            yield from product(compression=[compression], bigtiff=[True], tile=[True], tile_width=[64], tile_height=[32])
            yield from product(compression=[compression], pyramid=[True], tile=[True], subifd=[None, True], tile_width=[64], tile_height=[64])
        yield from product(bitdepth=[1, 2, 4], miniswhite=[False, True])
        yield from product(miniswhite=[True], compression=["none", "lzw"])
        yield from product(compression=["webp"], lossless=[True])
        yield from product(compression=["jpeg"], rgbjpeg=[True], Q=[90], tile=[False, True])
        yield from product(premultiply=[True], xres=[5.0], yres=[11.0])
    elif saver == "heif":
        for compression in ("hevc", "av1"):
            yield from product(compression=[compression], Q=[40, 95], bitdepth=[8, 10, 12], subsample_mode=["on", "off"], effort=[1])
            yield from product(compression=[compression], lossless=[True], bitdepth=[8, 10, 12], effort=[1])


def allowed(name, option):
    if name.startswith(("cmyk", "labq")):
        return 60
    if option.get("Q", 90) < 20 or option.get("bitdepth", 8) < 8 or option.get("target_size"):
        return 80
    return 30 if option.get("palette") or option.get("Q", 90) < 60 or name == "bits" or option.get("near_lossless") else 14


def write(folder):
    """The cases of both versions. Where a writer crashes, another process goes on behind that picture."""
    cases = []
    for version in ("debian", "wheel"):
        first, status = 0, 1
        while status:
            child = subprocess.run([sys.executable, __file__, folder, version, str(first)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            status, number = child.returncode, first - 1
            stream = io.BytesIO(child.stdout)
            while record := load(stream):
                number, case = record
                cases += [case] if case else []
            if status > 0:
                raise RuntimeError(f"the writer of libvips ({version}) failed")
            # It crashed at the next one that it had to write.
            first = number // SHARE * SHARE + SHARE + 1
    return cases


def load(stream):
    try:
        return pickle.load(stream)
    except (EOFError, pickle.UnpicklingError):
        return None


def write_one_version(folder, version, first):
    writer = f"libvips {pyvips.version(0)}.{pyvips.version(1)}"
    numbers = itertools.count()

    def save(saver, name, image, truth, slack, option, times=None):
        if (number := next(numbers)) < first or number % SHARE:
            return
        pickle.dump((number, attempt(saver, name, image, truth, slack, option, times)), sys.stdout.buffer)
        sys.stdout.buffer.flush()

    def attempt(saver, name, image, truth, slack, option, times):
        extension = "avif" if option.get("compression") == "av1" else EXTENSIONS[saver]
        path = folder / f"vips-{version}-{saver}-{name}.{extension}"
        try:
            getattr(image, f"{saver}save")(str(path), **option)
        except (pyvips.Error, OSError, OverflowError, AttributeError):
            path.unlink(missing_ok=True)
            return None
        format = extension if saver == "heif" else saver
        refused = "unrecognizedFormat" if option.get("bigtiff") else None
        return Case(writer, format, path, truth, slack=slack, times=times, refused=refused) if path.exists() else None

    for saver in EXTENSIONS:
        for name, image, truth in pictures():
            if saver in ("jpeg", "gif", "webp", "heif") and name not in ("srgb", "srgba", "b-w", "b-wa", "rgb16", "cmyk", "lab", "grey16", "scrgb"):
                continue
            for number, option in enumerate(options(saver)):
                # 8.14 crashes.
                if option.get("compression") in ("webp", "jp2k") and image.format != "uchar":
                    continue
                if option.get("palette") and option.get("bitdepth", 8) < 4 and name not in ("srgb", "srgba"):
                    continue
                marked = image.copy()
                marked.set_type(pyvips.GValue.gstr_type, "exif-ifd0-Make", CANARY)
                marked.set_type(pyvips.GValue.gstr_type, "image-description", CANARY)
                marked.set_type(pyvips.GValue.gstr_type, "png-comment-0-Text", CANARY)
                marked.set_type(pyvips.GValue.blob_type, "xmp-data", CANARY.encode())
                save(saver, f"{name}-{number:03}", marked, truth and [truth.convert("RGBA")], allowed(name, option), option)
        for kind in ("p3", "adobe", "prophoto", "linear", "swapped", "gray18"):
            blob = profile(kind)
            stored, truth = in_profile(scene(), blob, "L" if kind == "gray18" else "RGB")
            image = picture(stored).copy()
            image.set_type(pyvips.GValue.blob_type, "icc-profile-data", blob)
            wide = (image.cast("ushort") * 257).copy(interpretation="grey16" if kind == "gray18" else "rgb16")
            variants = [("8", image, {}), ("16", wide, {})] if saver in ("png", "tiff") else [("8", image, {"Q": 95} if saver != "gif" else {})]
            for depth, version_of, option in variants:
                save(saver, f"profile-{kind}-{depth}", version_of, [truth.convert("RGBA")], 22, option)
        for orientation in range(1, 9):
            from scene import upright_as_stored
            turned = picture(upright_as_stored(scene(), orientation)).copy()
            turned.set_type(pyvips.GValue.gint_type, "orientation", orientation)
            save(saver, f"turned-{orientation}", turned, [scene().convert("RGBA")], 22, {} if saver in ("png", "gif", "tiff") else {"Q": 95})
    for saver in ("gif", "webp"):
        for name, make in (("plain", lambda phase: scene(phase=phase)), ("clear", lambda phase: scene_with_alpha(phase, steps=2))):
            frames = [make(phase) for phase in range(4)]
            roll = pyvips.Image.arrayjoin([picture(frame) for frame in frames], across=1).copy()
            roll.set_type(pyvips.GValue.gint_type, "page-height", frames[0].height)
            roll.set_type(pyvips.GValue.array_int_type, "delay", [100, 250, 40, 500])
            roll.set_type(pyvips.GValue.gint_type, "loop", 2)
            different = product(interframe_maxerror=[0, 20], interpalette_maxerror=[0, 30], reuse=[None, True]) if saver == "gif" else product(
                lossless=[False, True], min_size=[None, True], kmin=[None, 1], kmax=[None, 2], mixed=[None, True])
            for number, option in enumerate(different):
                save(saver, f"moving-{name}-{number:02}", roll, [frame.convert("RGBA") for frame in frames], 40, option, [100, 250, 40, 500])


if __name__ == "__main__":
    write_one_version(pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
