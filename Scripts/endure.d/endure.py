"""A real fleet under a nemesis, with a history that is checked: endure.py PROGRAM FOLDER MINUTES SEED RATE

Scripts/endure runs this in namespaces of its own.
"""

import pathlib
import random
import sys
import time

import checker
from clients import Answers, Gateway
from fleet import Fleet
from harness import wait_until
from history import History, read
from nemesis import Nemesis

program, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
minutes, seed, rate = float(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])


def main():
    history = History(folder / "history.jsonl")
    fleet = Fleet(program, folder)
    try:
        fleet.start()
        receiver = Answers(history, (folder / "signing.key").read_text().strip().encode())
        gateway = Gateway(fleet, program, history, receiver, random.Random(seed), rate, folder)
        nemesis = Nemesis(fleet, history, receiver, random.Random(seed + 1))
        gateway.start()
        try:
            # What happens before the first answer is not a part of the history's promises.
            wait_until(lambda: history.answered, 60, f"the fleet answers no job; see the logs in {folder}")
            nemesis.start()
            end = time.monotonic() + minutes * 60
            while time.monotonic() < end and nemesis.failure is None:
                time.sleep(1)
            nemesis.stop()
            # Some calm jobs, whose answers must be on time.
            time.sleep(10)
        finally:
            nemesis.is_over.set()
            gateway.stop()
        end = time.monotonic() + max(15, checker.RECOVERY) + 30
        while history.open_jobs() and time.monotonic() < end:
            time.sleep(0.5)
        history.add("end", starts={node.name: node.starts for node in fleet.nodes})
    finally:
        fleet.stop()
        history.close()
    return checker.report(read(history.path))


sys.exit(not main())
