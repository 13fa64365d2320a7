"""Takes the pictures of the documentation: screenshots.py ATTACHD"""

import contextlib
import functools
import pathlib
import subprocess
import sys

from harness import ROOT, Origin, Program, Worker
from webdriver import Browser

SAMPLES = ROOT / "Samples"
# The pictures for the documentation. They are made small with few colours and a width of 900 pixels.
README = {"report": ("photo", ["theme"], ".report"), "preview": ("event-invite", [], ".places")}
SMALL = "scale='min(900,iw)':-1:flags=lanczos,split[a][b];[a]palettegen=max_colors=160[p];[b][p]paletteuse=dither=none"
# A notification before and after, for the README. It has twice its size, because it is mostly text.
BEFORE_AFTER = pathlib.Path(__file__).with_name("before-after.html").resolve()
CRISP = "scale='min(1600,iw)':-1:flags=lanczos,split[a][b];[a]palettegen=max_colors=256[p];[b][p]paletteuse=dither=sierra2_4a"


@contextlib.contextmanager
def preview(attachd):
    """Runs media, webhook and `attachd serve` on free ports. Gives a function that shows a sample in a browser."""
    media = Origin(attachd, SAMPLES / "media")
    webhook = Program([sys.executable, "-u", SAMPLES / "preview/webhook.py", "0"], r"(\d+)\n")
    worker = Worker(attachd, "--config", SAMPLES / "preview/attachd.yaml", "--response-webhook",
                    f"http://127.0.0.1:{webhook.found}/responses")
    yield functools.partial(show, f"{worker.url}/preview", media.url(""))
    for program in (worker, webhook, media):
        program.stop()


def show(page, media, browser, sample, switches):
    payload = (SAMPLES / f"payloads/{sample}.json").read_text().replace("http://127.0.0.1:8099/", media)
    browser.open(page)
    browser.run(
        """document.getElementById("payload").value = arguments[0];
           document.getElementById("payload").dispatchEvent(new Event("input"));
           document.getElementById("show").click();""",
        payload,
    )
    browser.wait("return document.getElementById('status').textContent === 'Shown.'")
    browser.wait("return [...document.querySelectorAll('iframe')].every(frame => 'settled' in frame.dataset)")
    browser.wait("return [...document.querySelectorAll('video')].every(video => video.readyState >= 3)")
    for switch in switches:
        browser.run("document.querySelector(`[data-switch=${arguments[0]}]`).click()", switch)
    browser.run("return new Promise(resolve => setTimeout(resolve, 600))")


def write_small(picture, filters, target):
    command = ["ffmpeg", "-v", "error", "-y", "-f", "png_pipe", "-i", "-", "-vf", filters, target]
    subprocess.run(command, input=picture, check=True)


attachd, folder = sys.argv[1], pathlib.Path("Samples/preview")
with preview(attachd) as show_sample, Browser() as browser:
    for name, (sample, switches, part) in README.items():
        browser.resize(1440, 1000, dark="theme" in switches)
        show_sample(browser, sample, switches)
        write_small(browser.picture(part), SMALL, folder / f"{name}.png")
    browser.resize(1120, 700, scale=2)
    browser.open(BEFORE_AFTER.as_uri())
    browser.wait("return [...document.images].every(image => image.complete)")
    write_small(browser.picture(".figure"), CRISP, "docs/before-after.png")
