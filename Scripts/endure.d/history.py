"""A history: each call and each answer of a run, and each fault, as one JSON object a line, in order of time."""

import json
import threading
import time


class History:
    def __init__(self, path):
        self.file, self.lock, self.start = open(path, "w"), threading.Lock(), time.monotonic()
        self.path, self.acknowledged, self.answered = path, set(), set()

    def add(self, event, **fields):
        """Adds an event, and returns its time in seconds since the start."""
        with self.lock:
            now = round(time.monotonic() - self.start, 4)
            self.file.write(json.dumps({"at": now, "event": event, **fields}, ensure_ascii=False) + "\n")
            if event == "answer" and fields["result"] == "acknowledged":
                self.acknowledged.add(fields["job"])
            elif event == "callback" and fields["accepted"]:
                self.answered.add(fields["job"])
            return now

    def open_jobs(self):
        """The jobs that were acknowledged, and whose answer has not come."""
        with self.lock:
            return self.acknowledged - self.answered

    def close(self):
        with self.lock:
            self.file.close()


def read(path):
    with open(path) as lines:
        return [json.loads(line) for line in lines]
