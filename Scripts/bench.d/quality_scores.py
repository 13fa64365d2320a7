"""quality_scores PROGRAM MEDIA: scores attachd and other programs on the pictures of MEDIA.

The reference of each picture is a full decode, scaled to 1038 pixels with a Lanczos filter in linear light.
Each peer runs as it comes, on white, and on the photos again with the JPEG quality at which they have about
attachd's bytes. WebP is compared with a JPEG of the reference by libvips in the quality that has the same
score.
"""

import io
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import cv2
import pyvips
from PIL import Image, ImageDraw, ImageFont
from ssimulacra2 import compute_ssimulacra2

EDGE = 1038
KINDS = ("photo", "graphic", "face", "text")
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"


def draw_texts(folder):
    red, pale_red, blue, night = (200, 30, 40), (255, 60, 60), (20, 40, 220), (10, 10, 60)
    text, font = "Your parcel arrives today between 14:00 and 16:30.", ImageFont.truetype(FONT, 44)
    for name, inks, paper in (("red-and-blue", (blue, red), "white"),
                              ("red-on-blue", (pale_red, pale_red), night)):
        picture = Image.new("RGB", (2076, 1400), paper)
        for line in range(24):
            ImageDraw.Draw(picture).text((60, 30 + 56 * line), text, inks[line % 2], font)
        picture.save(folder / f"{name}.png")


def fitting(width, height):
    scale = min(1, EDGE / max(width, height))
    return max(1, round(width * scale)), max(1, round(height * scale))


def reference(path, work, size=None):
    """The file of the reference, in another size if a program rounds otherwise."""
    picture = pyvips.Image.new_from_file(str(path))
    if picture.hasalpha():
        picture = picture.flatten(background=255)
    width, height = size or fitting(picture.width, picture.height)
    place = work / f"{path.stem}-reference-{width}x{height}.png"
    if place.exists():
        return place
    linear = picture.colourspace("scrgb")
    if (width, height) != (picture.width, picture.height):
        linear = linear.resize(width / picture.width, vscale=height / picture.height, kernel="lanczos3")
    linear.colourspace("srgb").cast("uchar").write_to_file(str(place))
    return place


def on_white(picture):
    picture = picture.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", picture.size, "white"), picture).convert("RGB")


def with_pillow(path, quality=75):
    picture = on_white(Image.open(path))
    picture.thumbnail((EDGE, EDGE), Image.Resampling.LANCZOS)
    blob = io.BytesIO()
    picture.save(blob, "JPEG", quality=quality)
    return blob.getvalue()


def with_opencv(path, quality=95):
    picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if picture.ndim == 3 and picture.shape[2] == 4:
        alpha = picture[:, :, 3:] / 255
        picture = (picture[:, :, :3] * alpha + 255 * (1 - alpha)).round().astype("uint8")
    size = fitting(picture.shape[1], picture.shape[0])
    scaled = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    return cv2.imencode(".jpg", scaled, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()


def with_libvips(path, quality=75):
    return pyvips.Image.thumbnail(str(path), EDGE, height=EDGE, size="down").jpegsave_buffer(Q=quality,
                                                                                             background=255)


def with_vipsthumbnail(path, quality=75):
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/out.jpg[Q={quality},background=255]"
        subprocess.run(["vipsthumbnail", "--size", f"{EDGE}x{EDGE}>", "-o", out, path], check=True)
        return pathlib.Path(folder, "out.jpg").read_bytes()


PEERS = {
    "vipsthumbnail": with_vipsthumbnail, "libvips 8.18": with_libvips, "Pillow": with_pillow,
    "OpenCV": with_opencv}


def main(program, media):
    (media / "text").mkdir(exist_ok=True)
    draw_texts(media / "text")
    paths = {kind: sorted(path for path in (media / kind).iterdir() if path.is_file()) for kind in KINDS}
    work = media / "work"
    work.mkdir(exist_ok=True)
    references = {path: reference(path, work) for path in sum(paths.values(), [])}

    def score(name, path, blob):
        extension = {b"\x89PN": "png", b"RIF": "webp"}.get(blob[:3], "jpg")
        file = work / f"{path.stem}-{name.replace(' ', '-')}.{extension}"
        file.write_bytes(blob)
        picture = Image.open(file)
        decoded = file
        if extension == "webp":
            decoded = file.with_suffix(".webp.png")
            on_white(picture).save(decoded)
        return compute_ssimulacra2(str(reference(path, work, picture.size)), str(decoded)), len(blob)

    def made_by_attachd(name, *options):
        scores = {}
        with tempfile.TemporaryDirectory(dir=media) as out:
            for kind in KINDS:
                command = [program, "batch", media / kind, "--out", f"{out}/{kind}", *options]
                subprocess.run(command, check=True, capture_output=True)
                for line in pathlib.Path(out, kind, "manifest.jsonl").read_text().splitlines():
                    row = json.loads(line)
                    blob = pathlib.Path(out, kind, row["output"]).read_bytes()
                    scores[media / kind / row["path"]] = score(name, media / kind / row["path"], blob)
        return scores

    settings = work / "webp.yaml"
    settings.write_text("profiles: {web: {basedOn: apns, formats: [webp, jpeg]}}\n")
    ours = made_by_attachd("attachd")
    webp = made_by_attachd("attachd WebP", "--config", settings, "--profile", "web")
    results = {"attachd": ours, "attachd, WebP": webp}
    for name, peer in PEERS.items():
        results[name] = {path: score(name, path, peer(path)) for path in references}
        goal = sum(ours[path][1] for path in paths["photo"])
        sizes = {quality: sum(len(peer(path, quality)) for path in paths["photo"])
                 for quality in range(60, 97, 2)}
        equal = min(sizes, key=lambda quality: abs(sizes[quality] - goal))
        results[f"{name}, Q {equal}"] = {
            path: score(f"{name} equal", path, peer(path, equal)) for path in paths["photo"]}

    figures = {}
    for name, scores in results.items():
        for title, kinds in (("photos", ("photo",)), ("graphics", ("graphic",)),
                             ("faces and text", ("face", "text"))):
            chosen = [scores[path] for kind in kinds for path in paths[kind] if path in scores]
            if not chosen:
                continue
            values, sizes = zip(*chosen)
            figures[f"{name}, {title}"] = (f"mean {statistics.mean(values):.1f}, worst {min(values):.1f}, "
                                           f"{statistics.mean(sizes) / 1000:.1f} kB")
    figures["WebP's bytes for those of libvips' JPEG with the same score"] = bytes_at_equal_score(
        {path: webp[path] for path in paths["photo"]}, references)
    print(json.dumps(figures))


def bytes_at_equal_score(scores, references):
    """The mean share of bytes, with the JPEG's between those of two qualities."""
    shares = []
    for path, (value, count) in scores.items():
        picture = pyvips.Image.new_from_file(str(references[path]))
        points = []
        for quality in (60, 70, 78, 84, 89, 93, 96):
            blob = picture.jpegsave_buffer(Q=quality, optimize_coding=True, strip=True)
            with tempfile.NamedTemporaryFile(suffix=".jpg") as file:
                file.write(blob)
                file.flush()
                points.append((compute_ssimulacra2(str(references[path]), file.name), len(blob)))
            if points[-1][0] >= value:
                break
        if len(points) < 2 or points[-1][0] < value:
            continue
        (low, fewer), (high, more) = points[-2:]
        shares.append(count / (fewer + (more - fewer) * (value - low) / (high - low)))
    return f"{statistics.mean(shares):.2f} of {len(shares)} photos"


main(sys.argv[1], pathlib.Path(sys.argv[2]).resolve())
