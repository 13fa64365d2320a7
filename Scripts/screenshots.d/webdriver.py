"""A minimal client of WebDriver (https://www.w3.org/TR/webdriver2/) without packages, for screenshots."""

import base64
import json
import subprocess
import time
import urllib.error
import urllib.request

CHROMIUM = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-color-profile=srgb"]


class Browser:
    """Headless Chromium with its own chromedriver. Use it in a `with` statement."""

    def __enter__(self):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        port = next(line.split()[-1].rstrip(".") for line in self.driver.stdout if "successfully on port" in line)
        self.base = f"http://127.0.0.1:{port}/session"
        options = {"browserName": "chrome", "goog:chromeOptions": {"args": CHROMIUM}}
        self.base += "/" + self.ask("POST", "", {"capabilities": {"alwaysMatch": options}})["sessionId"]
        return self

    def __exit__(self, *_):
        try:
            self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def open(self, url):
        self.ask("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """Runs the body of a function. Returns its value, and waits for a promise."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, *arguments, seconds=20):
        end = time.monotonic() + seconds
        while not self.run(script, *arguments):
            if time.monotonic() > end:
                raise TimeoutError(script)
            time.sleep(0.05)

    def chromium(self, command, **parameters):
        """Sends a command of Chromium's own protocol."""
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def resize(self, width, height, scale=1, dark=False):
        self.chromium(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.chromium("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, selector=None):
        """Returns a PNG of the whole page, or of one element."""
        box = self.run(
            """const box = (arguments[0] ? document.querySelector(arguments[0]) : document.documentElement)
                 .getBoundingClientRect();
               return {x: box.x + scrollX, y: box.y + scrollY, width: box.width, height: box.height, scale: 1};""",
            selector,
        )
        return base64.b64decode(self.chromium("Page.captureScreenshot", clip=box, captureBeyondViewport=True)["data"])
