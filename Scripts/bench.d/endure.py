"""Jobs through workers that are killed: each must be answered once. Run by Scripts/endure."""

import collections
import http.client
import http.server
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

from nginx import Nginx
from redis.exceptions import RedisError
from redisserver import PREFIX, Producer, Redis
from sidecar import Sidecar

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
jobs, kills = int(os.environ.get("JOBS", 8000)), int(os.environ.get("KILLS", 30))
cores = os.sched_getaffinity(0)
budget = 60


class Answers:
    """The answers to each job. A repeated post of the same answer does not count twice."""

    def __init__(self):
        self.bodies, self.statuses, self.lock = collections.defaultdict(set), collections.Counter(), threading.Lock()

    def add(self, name, status, body):
        with self.lock:
            if body not in self.bodies[name]:
                self.statuses[status] += 1
            self.bodies[name].add(body)

    def wait(self, names):
        end = time.monotonic() + budget + 30
        while time.monotonic() < end and len(self.bodies) < len(names):
            time.sleep(0.1)

    def verdict(self, names):
        unusable = [name for name in names for body in self.bodies[name] if "payload" not in json.loads(body)]
        verdict = {
            "jobs": len(names),
            "lost": sum(not self.bodies[name] for name in names),
            "answered_twice": sum(len(self.bodies[name]) > 1 for name in names),
            "unusable": len(unusable),
            "statuses": dict(self.statuses),
        }
        verdict["passed"] = verdict["lost"] == verdict["answered_twice"] == verdict["unusable"] == 0
        return verdict


def envelope(origin, name, **more):
    payload = {"aps": {"mutable-content": 1, "alert": "Hi"}, "my-attachment": origin.url("photo-320.jpg?" + name)}
    return json.dumps({"id": name, "payload": payload, "deadline": f"{budget}s", **more})


class Killer:
    """Kills one worker after the other and starts it again, while jobs are enqueued and answered."""

    def __init__(self, workers, count, answers):
        self.workers, self.count, self.answers, self.done = workers, count, answers, 0
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        for number in range(self.count):
            # Spreads the kills over the whole run, even on a fast machine.
            while len(self.answers.bodies) < jobs * (number + 0.5) / self.count:
                time.sleep(0.02)
            self.workers[number % len(self.workers)].kill()
            self.done += 1


class Worker:
    """An attachd that starts again with the same store after it was killed."""

    def __init__(self, *options, command="serve", store=None):
        self.options, self.command, self.store = options, command, store
        self.place = tempfile.TemporaryDirectory()
        self.start()

    def start(self):
        self.running = Sidecar(program, cores, len(cores), self.options, command=self.command,
                               store=self.store or self.place.name)

    def kill(self):
        self.running.process.send_signal(signal.SIGKILL)
        self.running.process.wait()
        self.start()

    def metric(self, name):
        client = self.running.client()
        client.request("GET", "/metrics")
        lines = client.getresponse().read().decode().splitlines()
        return sum(float(line.split()[-1]) for line in lines if line.startswith(name))

    def stop(self):
        self.running.stop()
        self.place.cleanup()


def redis(restarts=0):
    names, answers = [], Answers()
    with tempfile.TemporaryDirectory(dir=folder) as place:
        server, origin = Redis(place), Nginx(folder)
        workers = [Worker("--queue", server.url, command="work") for _ in range(2)]
        producer, reader = Producer(server.url, PREFIX), Producer(server.url, PREFIX)
        reader.name, ended = producer.name, threading.Event()

        def listen():
            while not ended.is_set():
                try:
                    for name, status, body in reader.replies(0.5):
                        # Each entry of the stream counts: the same answer in two of them is one too many.
                        answers.add(name, status, body if name not in answers.bodies else body + b" ")
                except RedisError:
                    time.sleep(0.05)

        def hand_over(name):
            while True:
                try:
                    return producer.enqueue(name, envelope(origin, name), budget * 1000)
                except RedisError:
                    time.sleep(0.05)

        threading.Thread(target=listen, daemon=True).start()
        killer = Killer([server] if restarts else workers, restarts or kills, answers)
        for number in range(jobs):
            names.append(f"job-{number}")
            hand_over(names[-1])
            pace(number, answers)
        answers.wait(names)
        ended.set()
        killer.thread.join()
        for part in [*workers, origin, server]:
            part.stop()
    return {"kills": killer.done, **answers.verdict(names)}


def stopped(rate=20, seconds=30, budget=8):
    """Three workers, one of which stands still for ten seconds: the others save its jobs while there is time."""
    answers, handed, late = Answers(), {}, []
    with tempfile.TemporaryDirectory(dir=folder) as place:
        server, origin = Redis(place), Nginx(folder)
        workers = [Worker("--queue", server.url, command="work") for _ in range(3)]
        for worker in workers:
            worker.running.wait_until_ready()
        producer, reader = Producer(server.url, PREFIX), Producer(server.url, PREFIX)
        reader.name, ended = producer.name, threading.Event()

        def listen():
            while not ended.is_set():
                for name, status, body in reader.replies(0.5):
                    answered = int(reader.last_id.split(b"-")[0]) / 1000
                    if answered > handed[name] + budget:
                        late.append(name)
                    answers.add(name, status, body if name not in answers.bodies else body + b" ")

        threading.Thread(target=listen, daemon=True).start()
        victim = workers[0].running.process
        start = time.time()
        for number in range(rate * seconds):
            time.sleep(max(0, start + number / rate - time.time()))
            if number == rate * 5:
                victim.send_signal(signal.SIGSTOP)
            if number == rate * 15:
                victim.send_signal(signal.SIGCONT)
            name = f"job-{number}"
            handed[name] = time.time()
            producer.enqueue(name, envelope(origin, name), budget * 1000)
        answers.wait(handed)
        ended.set()
        rescued = sum(worker.metric("attachd_jobs_reclaimed_total") for worker in workers)
        stale = sum(worker.metric("attachd_jobs_stale_total") for worker in workers)
        for part in [*workers, origin, server]:
            part.stop()
    verdict = answers.verdict(list(handed))
    verdict["passed"] = verdict["passed"] and not late
    return {"rescued": rescued, "stale": stale, "late": len(late), **verdict}


def pace(number, answers, ahead=400):
    """Keeps the queue short enough that every job can be answered in time."""
    while number - len(answers.bodies) > ahead:
        time.sleep(0.01)


class Callbacks(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.answers.add(self.headers["Attachd-Job"], self.headers["Attachd-Status"], body)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *arguments):
        pass


def collector(answers):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Callbacks)
    server.answers = answers
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def post(worker, content):
    """The status, or None if there is no answer."""
    try:
        client = http.client.HTTPConnection("127.0.0.1", worker.running.port, timeout=10)
        client.request("POST", "/v1/jobs", content)
        return client.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        client.close()


def sqlite(fill=None, store=None):
    names, answers, statuses = [], Answers(), collections.Counter()
    origin, worker, server = Nginx(folder), Worker(store=store), collector(answers)
    killer = Killer([worker], 0 if fill else kills, answers)
    for number in range(jobs):
        if fill:
            fill(number)
        name = f"job-{number}"
        content = envelope(origin, name, callback=f"http://127.0.0.1:{server.server_port}/")
        status = None
        while status is None:
            status = post(worker, content)
            time.sleep(0.05 if status is None else 0)
        statuses[status] += 1
        # A gateway sends refused notifications unchanged.
        if status == 202:
            names.append(name)
        else:
            time.sleep(0.02)
        pace(len(names), answers)
    answers.wait(names)
    killer.thread.join()
    worker.stop()
    origin.stop()
    return {"kills": killer.done, "answers_at_the_door": dict(statuses), **answers.verdict(names)}


def disk():
    """A store on a small disk, which is full for the middle third of the jobs."""
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200m", "tmpfs", place], check=True)
        ballast = pathlib.Path(place, "ballast")

        def fill(number):
            if number == jobs // 3:
                subprocess.run(["dd", "if=/dev/zero", f"of={ballast}", "bs=64k"], stderr=subprocess.DEVNULL)
            if number == jobs * 2 // 3:
                ballast.unlink()

        try:
            return sqlite(fill, place + "/store")
        finally:
            subprocess.run(["umount", place])


trials = {"sqlite": sqlite, "redis": redis, "restarts": lambda: redis(restarts=5), "stopped": stopped, "disk": disk}
passed = True
for trial in sys.argv[3:] or trials:
    start = time.monotonic()
    verdict = trials[trial]()
    passed = passed and verdict["passed"]
    print(json.dumps({"trial": trial, "seconds": round(time.monotonic() - start), **verdict}), flush=True)
sys.exit(not passed)
