"""Drives the sample's service worker in headless Chromium, online and offline: web.py PROGRAMS FOLDER

Pushes a message through attachd and to the worker, and takes pictures of a page that renders what the worker gave to
showNotification. For offline, attachd and the site end first. Headless Chromium draws no notifications of the system.
"""

import base64
import functools
import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

sys.path.insert(0, "Scripts/screenshots.d")
from webdriver import Browser

programs, folder = map(pathlib.Path, sys.argv[1:])
folder.mkdir(parents=True, exist_ok=True)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def expect(condition, what):
    if not condition:
        sys.exit(f"expected {what}")


def serve(path):
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=path))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def start_attachd(store):
    """Starts attachd, whose public URL must be known before: on a port that was free a moment ago."""
    free = serve("Samples")
    port = free.server_port
    free.shutdown()
    free.server_close()
    attachd = subprocess.Popen(
        [programs / "attachd", "serve", "--listen", f"127.0.0.1:{port}", "--public-url", f"http://127.0.0.1:{port}",
         "--config", "Samples/web/attachd.yaml", "--store", store, "--allow-address", "127.0.0.1", "--log-level", "error"])
    url = f"http://127.0.0.1:{port}"
    for _ in range(300):
        try:
            urllib.request.urlopen(f"{url}/readyz", timeout=5)
            return attachd, url
        except OSError:
            time.sleep(0.1)
    sys.exit("attachd never became ready")


def rewrite(attachd, media):
    """The sample's push after attachd."""
    payload = pathlib.Path("Samples/web/push.json").read_text()
    payload = payload.replace("http://127.0.0.1:8099", f"http://127.0.0.1:{media.server_port}").encode()
    with urllib.request.urlopen(f"{attachd}/v1/rewrite", payload) as answer:
        expect(answer.headers["Attachd-Outcome"] == "complete", "a complete outcome")
        return json.load(answer)


class Site:
    """The sample's page in a browser."""

    def __init__(self, browser):
        self.browser, self.server = browser, serve("Samples/web")
        self.origin = f"http://127.0.0.1:{self.server.server_port}/"
        browser.chromium("Browser.grantPermissions", origin=self.origin, permissions=["notifications"])
        browser.chromium("ServiceWorker.enable")
        browser.open(self.origin)
        browser.wait("return 'ready' in document.body.dataset")
        self.shown = 0

    def push(self, message):
        """Pushes a message. Returns the image of its notification, after the page shows it."""
        # Registrations of a new profile are counted from 0.
        self.browser.chromium(
            "ServiceWorker.deliverPushMessage", origin=self.origin, registrationId="0", data=json.dumps(message))
        self.shown += 1
        self.browser.wait("return document.querySelectorAll('article').length === arguments[0]", self.shown)
        self.browser.wait("return [...document.images].every(image => image.complete && image.naturalWidth > 0)")
        return self.browser.run(
            "return navigator.serviceWorker.ready.then(it => it.getNotifications()).then(all => all.map(each => each.image))")


def main():
    media = serve("Samples/media")
    with tempfile.TemporaryDirectory() as store, Browser() as browser:
        attachd, url = start_attachd(store)
        message = rewrite(url, media)
        image = message["notification"]["image"]
        expect(image.startswith(url), f"attachd's URL in {message}")
        browser.resize(408, 300)
        site = Site(browser)
        inline = message["attachments"][0]["inline"]
        small = base64.b64decode(inline["data"])
        hash_only = {"thumbhash": inline["thumbhash"]}
        expect(site.push(message) == [image], "the ready file online")
        (folder / "web-online.png").write_bytes(browser.picture())

        attachd.terminate()
        attachd.wait()
        site.server.shutdown()
        site.server.server_close()
        image += "&other"  # not the one in the browser's cache
        offline = {"notification": message["notification"] | {"image": image}}
        images = site.push(offline | {"attachments": [{"inline": hash_only}]})
        expect(sum(each.startswith("data:image/png;") for each in images) == 1, f"the ThumbHash offline, not {images}")
        images = site.push(offline | {"attachments": [{"inline": inline}]})
        expect(sum(each.startswith("data:image/webp;") for each in images) == 1, f"the WebP offline, not {images}")
        images = site.push(offline)
        expect(sum(not each for each in images) == 1, f"no picture where there is none, not {images}")
        (folder / "web-offline.png").write_bytes(browser.picture())
    print(f"web: the ready file online, the ThumbHash and the WebP of {len(small)} bytes offline; pictures in {folder}")


main()
