"""Drives the sample's service worker in headless Chromium, online and offline: web.py PROGRAMS FOLDER

Pushes a message through attachd and to the worker, and takes pictures of a page that renders what the worker
gave to showNotification. For offline, attachd and the site end first. Headless Chromium draws no
notifications of the system.
"""

import base64
import json
import pathlib
import sys

from harness import ROOT, Origin, Worker, exchange, free_port

sys.path.insert(0, "Scripts/screenshots.d")
from webdriver import Browser

programs, folder = map(pathlib.Path, sys.argv[1:])
folder.mkdir(parents=True, exist_ok=True)
SAMPLES = ROOT / "Samples"


def expect(condition, what):
    if not condition:
        sys.exit(f"expected {what}")


def rewrite(worker, media):
    """The sample's push after attachd."""
    push = (SAMPLES / "web/push.json").read_text().replace("http://127.0.0.1:8099/", media.found)
    _, headers, body = exchange(worker.port, "POST", "/v1/rewrite", json.loads(push))
    expect(headers["Attachd-Outcome"] == "complete", "a complete outcome")
    return json.loads(body)


class Site:
    """The sample's page in a browser."""

    def __init__(self, browser):
        # The test origin knows the types of media only.
        types = ["--rule", "*.js type=text/javascript", "--rule", "*.html type=text/html"]
        self.browser, self.server = browser, Origin(programs / "attachd", SAMPLES / "web", *types)
        self.origin = self.server.found
        browser.chromium("Browser.grantPermissions", origin=self.origin, permissions=["notifications"])
        browser.chromium("ServiceWorker.enable")
        browser.open(self.origin + "index.html")
        browser.wait("return 'ready' in document.body.dataset")
        self.shown = 0

    def push(self, message):
        """Pushes a message. Returns the image of its notification, after the page shows it."""
        # Registrations of a new profile are counted from 0.
        self.browser.chromium(
            "ServiceWorker.deliverPushMessage", origin=self.origin, registrationId="0",
            data=json.dumps(message))
        self.shown += 1
        self.browser.wait("return document.querySelectorAll('article').length === arguments[0]", self.shown)
        self.browser.wait("return [...document.images].every(image => image.complete && image.naturalWidth > 0)")
        return self.browser.run(
            "return navigator.serviceWorker.ready.then(it => it.getNotifications()).then(all => all.map(each => each.image))")


def main():
    media = Origin(programs / "attachd", SAMPLES / "media")
    # The public URL must be known before: that of a port that was free a moment ago. The last --listen
    # counts.
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with Browser() as browser:
        worker = Worker(programs / "attachd", "--listen", f"127.0.0.1:{port}", "--public-url", url,
                        "--config", SAMPLES / "web/attachd.yaml")
        worker.wait_until_ready()
        message = rewrite(worker, media)
        image = message["notification"]["image"]
        expect(image.startswith(url), f"attachd's URL in {message}")
        browser.resize(408, 300)
        site = Site(browser)
        inline = message["attachments"][0]["inline"]
        small = base64.b64decode(inline["data"])
        hash_only = {"thumbhash": inline["thumbhash"]}
        expect(site.push(message) == [image], "the ready file online")
        (folder / "web-online.png").write_bytes(browser.picture())

        worker.stop()
        site.server.stop()
        image += "&other"  # not the one in the browser's cache
        offline = {"notification": message["notification"] | {"image": image}}
        images = site.push(offline | {"attachments": [{"inline": hash_only}]})
        expect(sum(each.startswith("data:image/png;") for each in images) == 1,
               f"the ThumbHash offline, not {images}")
        images = site.push(offline | {"attachments": [{"inline": inline}]})
        expect(sum(each.startswith("data:image/webp;") for each in images) == 1,
               f"the WebP offline, not {images}")
        images = site.push(offline)
        expect(sum(not each for each in images) == 1, f"no picture where there is none, not {images}")
        (folder / "web-offline.png").write_bytes(browser.picture())
    media.stop()
    print(f"web: the ready file online, the ThumbHash and the WebP of {len(small)} bytes offline; pictures in {folder}")


main()
