"""Prints the tests that began and did not end, from the events that `swift test --event-stream-output-path` has written."""

import json
import pathlib
import sys

events = pathlib.Path(sys.argv[1])
if not events.exists():
    print("    none: not even the first had begun")
    sys.exit()
running = set()
for line in events.read_text(errors="replace").splitlines():
    try:
        record = json.loads(line)
    except ValueError:
        continue  # an empty line, or the last one, cut off
    payload = record.get("payload", {})
    if record.get("kind") != "event" or "testID" not in payload:
        continue
    if payload["kind"] == "testStarted":
        running.add(payload["testID"])
    elif payload["kind"] in ("testEnded", "testSkipped"):
        running.discard(payload["testID"])
for test in sorted(running):
    print(f"    {test}")
