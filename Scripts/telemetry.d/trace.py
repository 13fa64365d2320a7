"""Draws the trace of one job: from the request to its callback."""
import http.server
import pathlib
import sys
import tempfile
import threading
import time
from xml.sax.saxutils import escape

from origin import PHOTO
from watched import Watched

program, picture = sys.argv[1:3]
COLOURS = {"download": "#4f7bd9", "decode": "#cf7b2e", "store": "#3c9a6b", "queue": "#8a93a3", "callback": "#9b5fc0"}


class Site(http.server.BaseHTTPRequestHandler):
    """An origin that takes its time, and a receiver of callbacks."""

    def log_message(self, *words):
        pass

    def do_GET(self):
        self.send_response(200)
        self.send_header("content-length", str(len(PHOTO)))
        self.end_headers()
        step = len(PHOTO) // 6 + 1
        for start in range(0, len(PHOTO), step):
            time.sleep(0.01)
            self.wfile.write(PHOTO[start:start + step])

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        time.sleep(0.01)
        self.send_response(204)
        self.end_headers()


def row(span, depth, top, start, scale):
    """Returns a line of the picture: the name of a span, its bar, and its time."""
    def place(time):
        return 230 + (int(time) - start) / 1e6 * scale

    left, right = place(span["startTimeUnixNano"]), place(span["endTimeUnixNano"])
    took = (int(span["endTimeUnixNano"]) - int(span["startTimeUnixNano"])) / 1e6
    colour = COLOURS.get(span["name"], "#5b6472")
    parts = [
        f'<text x="{12 + depth * 16}" y="{top + 15}">{escape(span["name"])}</text>',
        f'<rect x="{left:.1f}" y="{top + 3}" width="{max(2, right - left):.1f}" height="15" rx="3" fill="{colour}"/>',
        f'<text class="quiet" x="{right + 6:.1f}" y="{top + 15}">{took:.1f} ms</text>',
    ]
    parts += [f'<circle cx="{place(e["timeUnixNano"]):.1f}" cy="{top + 10.5}" r="3.2"><title>{escape(e["name"])}</title></circle>'
              for e in span["events"]]
    return "\n".join(parts)


def ordered(spans, parent, depth):
    for span in sorted((s for s in spans if s.get("parentSpanId") == parent), key=lambda s: int(s["startTimeUnixNano"])):
        yield span, depth
        yield from ordered(spans, span["spanId"], depth + 1)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}"
trace, caller = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
with tempfile.TemporaryDirectory() as folder:
    worker = Watched(program, folder, "--store", f"{folder}/store", "--allow-address", "127.0.0.1")
    worker.post("/v1/notifications", {"payload": {"aps": {"mutable-content": 1, "alert": "Hi"}, "my-attachment": f"{url}/first.jpg"}})
    envelope = {"id": "42", "payload": {"aps": {"mutable-content": 1, "alert": "Hi"}, "my-attachment": f"{url}/photo.jpg"},
                "callback": f"{url}/done"}
    worker.post("/v1/jobs", envelope, f"00-{trace}-{caller}-01")
    worker.wait(lambda: any(span["name"] == "callback" for span in worker.collector.spans))
    time.sleep(0.5)
    spans = [span for span in worker.collector.spans if span["traceId"] == trace]
    worker.stop()

rows = list(ordered(spans, caller, 0))
start = min(int(span["startTimeUnixNano"]) for span in spans)
end = max(int(span["endTimeUnixNano"]) for span in spans)
scale = 560 / ((end - start) / 1e6)
height = 16 + 24 * len(rows)
lines = [row(span, depth, 8 + 24 * index, start, scale) for index, (span, depth) in enumerate(rows)]
pathlib.Path(picture).write_text(f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 880 {height}" role="img" aria-label="The spans of one job">
<style>
text {{ font: 13px system-ui, sans-serif; fill: #1d2430 }}
.quiet {{ fill: #5b6472; font-size: 12px }}
.paper {{ fill: #fff }}
circle {{ fill: #fff; stroke: #1d2430; stroke-width: 1.2 }}
</style>
<rect class="paper" width="880" height="{height}"/>
{chr(10).join(lines)}
</svg>
""")
print(f"trace: {len(spans)} spans of one job in {(end - start) / 1e6:.0f} ms: {picture}")
