"""Every picture that libvips can write in a format that attachd reads. As a program, `vips_writer FOLDER debian|wheel CASES`
writes them, and their cases into a file: one process can load one libvips, Debian's 8.14 or the 8.18 of the package from Python's
registry. Each picture is written in a process of its own, because some of their writers crash."""

import concurrent.futures
import itertools
import os
import pathlib
import pickle
import subprocess
import sys

if __name__ == "__main__" and sys.argv[2] == "debian":
    # Without the compiled module, pyvips loads the system's library.
    sys.modules["_libvips"] = None

import pyvips
from PIL import Image

from each import in_child
from pillow_writer import product
from scene import CANARY, Case, in_profile, is_shared, profile, scene, scene_with_alpha, upright_as_stored

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
    # Nothing in a file says that its values are those of HSV, LCh, Yxy or Oklab.
    for space in ("rgb16", "lab", "labq", "labs", "xyz", "scrgb", "cmyk"):
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
    """The cases of both versions. What made a writer crash, or took it a minute, is told and left out."""
    def version(name):
        cases = folder.parent / f"vips-{name}.cases"
        subprocess.run([sys.executable, __file__, folder, name, cases], check=True, env=os.environ | {"VIPS_CONCURRENCY": "1"})
        return pickle.loads(cases.read_bytes())

    with concurrent.futures.ThreadPoolExecutor() as pool:
        return [case for cases in pool.map(version, ("debian", "wheel")) for case in cases]


def write_one_version(folder, version):
    writer = f"libvips {pyvips.version(0)}.{pyvips.version(1)}"
    numbers = itertools.count()
    cases = []

    def save(saver, name, image, truth, slack, option, times=None):
        if not is_shared(next(numbers)):
            return
        case, signal = in_child(attempt, saver, name, image, truth, slack, option, times)
        if signal:
            print(f"{writer} ended by signal {signal}: {saver} {name} {option}", file=sys.stderr, flush=True)
        elif case:
            cases.append(case)

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
                marked = image.copy()
                marked.set_type(pyvips.GValue.gstr_type, "exif-ifd0-Make", CANARY)
                marked.set_type(pyvips.GValue.gstr_type, "image-description", CANARY)
                marked.set_type(pyvips.GValue.gstr_type, "png-comment-0-Text", CANARY)
                marked.set_type(pyvips.GValue.blob_type, "xmp-data", CANARY.encode())
                save(saver, f"{name}-{number:03}", marked, truth and [truth.convert("RGBA")], allowed(name, option), option)
        # A GIF has no profile.
        for kind in () if saver == "gif" else ("p3", "adobe", "prophoto", "linear", "swapped", "gray18"):
            blob = profile(kind)
            stored, truth = in_profile(scene(), blob, "L" if kind == "gray18" else "RGB")
            image = picture(stored).copy()
            image.set_type(pyvips.GValue.blob_type, "icc-profile-data", blob)
            wide = (image.cast("ushort") * 257).cast("ushort").copy(interpretation="grey16" if kind == "gray18" else "rgb16")
            variants = [("8", image, {}), ("16", wide, {})] if saver in ("png", "tiff") else [("8", image, {"Q": 95})]
            for depth, version_of, option in variants:
                save(saver, f"profile-{kind}-{depth}", version_of, [truth.convert("RGBA")], 22, option)
        for orientation in range(1, 9):
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
    return cases


if __name__ == "__main__":
    pathlib.Path(sys.argv[3]).write_bytes(pickle.dumps(write_one_version(pathlib.Path(sys.argv[1]), sys.argv[2])))
