"""The quality of pictures for their bytes beside other programs, as quality_scores.py scores it."""

import json
import pathlib
import subprocess
import zipfile

# Photos of Debian's wallpaper packages (GPL-2+, CC-BY-SA), 1680 to 6028 pixels wide.
PACKAGES = ["mate-backgrounds", "plasma-workspace-wallpapers", "lomiri-wallpapers-20.04"]
MATE, PLASMA, OTHER = "usr/share/backgrounds/mate/", "usr/share/wallpapers/", "usr/share/backgrounds/"
PICTURES = {
    "photo": [f"{MATE}nature/{name}.jpg" for name in
              ("YellowFlower", "LadyBird", "Wood", "Storm", "TwoWings", "Dune", "RainDrops", "Garden")]
    + [f"{MATE}abstract/Elephants_3840x2160.jpg"]
    + [f"{PLASMA}{name}/contents/images/2560x1600.jpg" for name in ("Autumn", "ColorfulCups", "OneStandsOut")]
    + [f"{OTHER}{name}.jpg"
       for name in ("Fossa_by_Jasper_Roks", "Kleiber_by_Lukas_Baubkus", "Infinite-Sea_by_Aury88")],
    "graphic": [f"{MATE}{name}.png" for name in
                ("desktop/Float-into-MATE", "desktop/Ubuntu-Mate-Radioactive-no-logo", "abstract/Gulp")]
    + [f"{PLASMA}Opal/contents/images/3840x2160.png"]
    + [f"{PLASMA}{name}/contents/images/5120x2880.png" for name in ("Kay", "Altai")],
}
# A face (NASA, public domain) and a scanned page (CC0), of scikit-image; the texts are drawn by
# quality_scores.py.
SKIMAGE = {"astronaut.png": "face", "page.png": "text"}


def fetch(folder):
    """Puts the pictures into `folder`, in a folder of each kind, and returns it."""
    media = folder / "quality"
    if (media / "complete").exists():
        return media
    downloads = folder / "quality-downloads"
    downloads.mkdir(exist_ok=True)
    subprocess.run(["apt-get", "download", *PACKAGES], cwd=downloads, check=True, capture_output=True)
    for package in downloads.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", package, downloads / "x"], check=True)
    for kind, paths in PICTURES.items():
        (media / kind).mkdir(parents=True, exist_ok=True)
        for path in paths:
            name = path.split("/")[3] if path.startswith(PLASMA) else pathlib.Path(path).stem
            (downloads / "x" / path).rename(media / kind / (name + pathlib.Path(path).suffix))
    pip = ["/usr/bin/python3", "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    subprocess.run([*pip, "--dest", downloads, "scikit-image==0.22.0"], check=True, capture_output=True)
    with zipfile.ZipFile(next(downloads.glob("scikit_image*.whl"))) as wheel:
        for name, kind in SKIMAGE.items():
            (media / kind).mkdir(parents=True, exist_ok=True)
            (media / kind / name).write_bytes(wheel.read(f"skimage/data/{name}"))
    (media / "complete").touch()
    return media


def quality(bench):
    media, script = fetch(bench.folder), pathlib.Path(__file__).with_name("quality_scores.py")
    command = [bench.folder / "quality-python/bin/python", script, bench.program, media]
    return json.loads(bench.run(command,
                                VIPS_WARNING="0")) | {
        "target": "photos: a mean of 79.5, none below 76, at most 95 kB on average"}
