"""Those who use the fleet: gateways that enqueue jobs, over HTTP and straight into the queue, and the server for the answers."""

import concurrent.futures
import hashlib
import hmac
import http.client
import json
import subprocess
import threading
import time

from fleet import TOKEN
from harness import Receiver
from network import OUR_ADDRESS

# Sources with their share: what the origin does with each is a part of its URL.
SOURCES = [
    (40, "photo.jpg"), (6, "launch.gif"), (4, "launch.mp4"), (6, "photo.jpg?latency=1s"), (5, "photo.jpg?status=503"),
    (4, "photo.jpg?stall=10kB"), (4, "photo.jpg?truncate=10kB"), (4, "photo.jpg?reset=10kB"), (3, "photo.jpg?drip=1B/100ms"),
    (3, "photo.jpg?type=text/html"), (3, "photo.jpg?redirect=loop"), (3, "missing.jpg"),
]
BUDGETS = [4, 8, 8, 15]
# Values that a careless rewriting changes.
OTHER_KEYS = ('"id":9223372036854775807,"price":12.340,"exact":0.1000000000000000055511151231257827,"none":null,'
              '"text":"Gr\\u00fc\\u00dfe \\ud83d\\ude80","deep":[[{"a":[1,2,{"b":[]}]}],""],"":0')


class Answers:
    """Gets the answers, and records each before it says what it thinks of it."""

    def __init__(self, history, key):
        self.history, self.mode, self.key = history, "accept", key
        self.url = Receiver(self.receive, OUR_ADDRESS).url

    def is_genuine(self, header, body):
        fields = dict(part.split("=", 1) for part in (header or "").split(",") if "=" in part)
        wanted = hmac.new(self.key, f"{fields.get('t')}.{body}".encode(), hashlib.sha256).hexdigest()
        return hmac.compare_digest(wanted, fields.get("v1", ""))

    def receive(self, headers, body):
        mode, body = self.mode, body.decode()
        event = {"job": headers["Attachd-Job"], "status": headers["Attachd-Status"], "attempt": headers["Attachd-Attempt"],
                 "genuine": self.is_genuine(headers["Attachd-Signature"], body), "body": body}
        self.history.add("callback", accepted=mode != "refuse", **event)
        if mode == "hang":
            time.sleep(3)
        return 503 if mode == "refuse" else 204


class Gateway:
    """Enqueues jobs at a steady rate. It repeats a call whose outcome it does not know."""

    def __init__(self, fleet, program, history, receiver, random, rate, folder):
        self.fleet, self.program, self.history, self.receiver = fleet, program, history, receiver
        self.random, self.rate, self.folder = random, rate, folder
        self.pool = concurrent.futures.ThreadPoolExecutor(96)
        self.is_over, self.count = threading.Event(), 0
        self.thread = threading.Thread(target=self.run)

    def start(self):
        self.thread.start()

    def stop(self):
        self.is_over.set()
        self.thread.join()
        self.pool.shutdown()

    def run(self):
        start = time.monotonic()
        while not self.is_over.wait(max(0, start + self.count / self.rate - time.monotonic())):
            self.count += 1
            name = f"job-{self.count}"
            source = self.random.choices([name for _, name in SOURCES], [share for share, _ in SOURCES])[0]
            mark = "&" if "?" in source else "?"
            # Some sources are shared by several jobs, as in a campaign.
            number = self.count // 3 if self.random.random() < 0.5 else self.count
            payload = (f'{{"aps":{{"mutable-content":1,"alert":"{name}"}},'
                       f'"my-attachment":"http://{self.fleet.origin.address}/{source}{mark}n={number}",{OTHER_KEYS}}}')
            by_queue = self.count % 20 == 0
            self.pool.submit(self.job, name, payload, self.random.choice(BUDGETS), by_queue)

    def job(self, name, payload, budget, by_queue):
        for number in range(1, 5):
            self.history.add("call", job=name, by="queue" if by_queue else "http", budget=budget, number=number,
                             payload=payload)
            result, reason = (self.enqueue if by_queue else self.post)(name, payload, budget)
            self.history.add("answer", job=name, number=number, result=result, reason=reason)
            if result != "unknown":
                return
            time.sleep(0.5 * number)

    def post(self, name, payload, budget):
        """`acknowledged`, `refused`, or `unknown` if the job may be in the queue or not; and why."""
        content = f'{{"id":"{name}","payload":{payload},"deadline":"{budget}s","callback":"{self.receiver.url}"}}'
        client = http.client.HTTPConnection(self.fleet.gateway.address, 8080, timeout=5)
        try:
            client.request("POST", "/v1/jobs", content.encode(), {"Authorization": f"Bearer {TOKEN}"})
            answer = client.getresponse()
            text = answer.read().decode()
        except (OSError, http.client.HTTPException) as failure:
            return "unknown", type(failure).__name__
        finally:
            client.close()
        if answer.status == 202:
            return "acknowledged", "202"
        if answer.status == 503:
            return "unknown", f"503 {json.loads(text).get('detail')}"
        return "refused", f"{answer.status} {text[:200]}"

    def enqueue(self, name, payload, budget):
        command = [self.program, "enqueue", "--id", name, "--deadline", f"{budget}s", "--callback", self.receiver.url,
                   "--allow-address", "10.77.0.0/24", "--store", self.folder / "enqueue", *self.fleet.options]
        try:
            done = subprocess.run(command, input=payload, capture_output=True, text=True, timeout=12)
        except subprocess.TimeoutExpired:
            return "unknown", "no answer in 12 s"
        return ("acknowledged" if done.returncode == 0 else "unknown"), f"status {done.returncode} {done.stderr[-200:]}"
