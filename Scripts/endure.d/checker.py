"""Checks a history: whether what happened to each job is what docs/queue.md promises. checker.py HISTORY, or checker.py --self-test

For each job the rules are, in the order in which they are looked at:

invented    An answer belongs to a job that was enqueued, and has its payload and a genuine signature.
refused     A job whose every call was refused has no answer.
twice       All posts of a job's answer are the same: one status, one body. (They are posted at least once.)
changed     Every key of the payload but the attachment's URL and `attachments` has its value, exactly.
status      The status fits the outcome. `poison` needs the death of seven workers; `failed` is never right here.
lost        A job that was acknowledged has an answer.
late        The answer comes within the budget after the acknowledgement. Where a fault was at work in that time, it comes
            within the recovery bound after the fault's end.
"""

import collections
import decimal
import json
import sys

from history import read

# What a calm fleet on a busy machine may take beyond the budget, for the post and its record.
SLACK = 2
# What it may take after a fault: the lease (3 s) and the look for lost ones (1 s); the sentinels' fail-over (3.4 s at worst, and
# 5 s more if their first try fails); and the work that has piled up. A post that failed is repeated after 1, 2, 4, 8 s …, so
# the next try may be as far away as the fault was long.
RECOVERY = 20
# Seven starts of one job, each ended by the death of its worker.
DEATHS_OF_POISON = 7
OUTCOMES = {"ok": "complete", "degraded": "degraded", "original": "original", "expired": "original"}
DEADLY = {"kill", "out_of_memory"}


class Fault:
    def __init__(self, event):
        self.kind, self.target, self.start, self.end, self.events = event["kind"], event["target"], event["at"], None, [event]

    @property
    def bound(self):
        return self.end + RECOVERY + (self.end - self.start)


def faults(history):
    """The faults, each with its beginning and its end. One without an end lasted until the end of the history."""
    found, under_way = [], {}
    for event in history:
        if event["event"] == "fault":
            under_way[event["kind"]] = Fault(event)
            found.append(under_way[event["kind"]])
        elif event["event"] == "healed":
            fault = under_way.pop(event["kind"])
            fault.end = event["at"]
            fault.events.append(event)
    for fault in under_way.values():
        fault.end = history[-1]["at"]
    return found


def parse(text):
    return json.loads(text, parse_float=decimal.Decimal)


def same(one, other):
    """Whether two JSON values are the same, numbers to the last digit, keys in their order."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one.as_tuple() == other.as_tuple() if isinstance(one, decimal.Decimal) else one == other


def without_attachment(payload):
    return {key: value for key, value in payload.items() if key not in ("my-attachment", "attachments")}


class Job:
    def __init__(self, name):
        self.name, self.calls, self.answers, self.callbacks = name, [], [], []

    def add(self, event):
        {"call": self.calls, "answer": self.answers, "callback": self.callbacks}[event["event"]].append(event)

    @property
    def acknowledgement(self):
        return next((event for event in self.answers if event["result"] == "acknowledged"), None)

    @property
    def received(self):
        """The first post that was taken."""
        return next((event for event in self.callbacks if event["accepted"]), None)

    def latest(self, faults):
        """The time until which the answer must be there, and the fault that it is owed to, if it is one."""
        first, due = self.calls[0]["at"], self.acknowledgement["at"] + self.calls[0]["budget"]
        latest, reason = due + SLACK, None
        for fault in faults:
            # A fault that ended before the call may still be at work.
            if fault.start <= latest and fault.bound >= first and fault.bound > latest:
                latest, reason = fault.bound, fault
        return latest, reason

    def violation(self, faults, end):
        """The rule that the job's history breaks, what is wrong, and the events that show it; or None."""
        if self.callbacks and not self.calls:
            return "invented", "an answer to a job that nobody enqueued", self.callbacks[:1]
        for event in self.callbacks:
            if not event["genuine"]:
                return "invented", "an answer without a genuine signature", [self.calls[0], event]
        refusals = [event for event in self.answers if event["result"] == "refused"]
        if self.callbacks and refusals and len(refusals) == len(self.calls):
            return "refused", "an answer to a job that was refused", [*refusals[:1], self.callbacks[0]]
        for event in self.callbacks[1:]:
            if (event["status"], event["body"]) != (self.callbacks[0]["status"], self.callbacks[0]["body"]):
                return "twice", "two answers that differ", [self.calls[0], self.callbacks[0], event]
        if self.callbacks:
            problem = self.problem_of_answer(faults)
            if problem:
                return *problem, [self.calls[0], self.callbacks[0]]
        acknowledgement, received = self.acknowledgement, self.received
        if not acknowledgement:
            return None
        shown = [next(call for call in self.calls if call["number"] == acknowledgement["number"]), acknowledgement]
        latest, fault = self.latest(faults)
        if received is None:
            if end < latest:
                return None
            return "lost", f"no answer until the end at {end:.1f} s; it was due at {latest:.1f} s", shown
        if received["at"] > latest:
            owed = f"after {fault.kind} of {fault.target}" if fault else "in calm"
            events = [*shown, *(fault.events if fault else []), received]
            return "late", f"due at {latest:.1f} s {owed}, and there {received['at'] - latest:.1f} s later", events
        return None

    def problem_of_answer(self, faults):
        answer, given = self.callbacks[0], parse(self.calls[0]["payload"])
        if answer["status"] == "poison":
            since = [fault for fault in faults if fault.kind in DEADLY and fault.start < answer["at"] and fault.end > self.calls[0]["at"]]
            return None if len(since) >= DEATHS_OF_POISON else ("status", f"poison after {len(since)} deaths")
        try:
            result = parse(answer["body"])
            payload, outcome = result["payload"], result["outcome"]
        except (ValueError, KeyError, TypeError):
            return "status", f"no result in the answer, whose status is {answer['status']}"
        if OUTCOMES.get(answer["status"]) != outcome:
            return "status", f"the status {answer['status']} with the outcome {outcome}"
        if not same(without_attachment(payload), without_attachment(given)):
            return "changed", "another key of the payload has changed"
        if outcome == "original" and not same(payload, given):
            return "changed", "the outcome is original, and the payload is not"
        return None


def check(history):
    """The jobs, and those whose history is not legal, with the shortest counterexample first."""
    jobs = {}
    for event in history:
        if "job" in event:
            jobs.setdefault(event["job"], Job(event["job"])).add(event)
    all_faults, end = faults(history), history[-1]["at"]
    found = []
    for job in jobs.values():
        violation = job.violation(all_faults, end)
        if violation:
            found.append((job, *violation))
    return jobs, all_faults, sorted(found, key=lambda entry: (len(entry[3]), entry[3][-1]["at"] - entry[3][0]["at"]))


def line(event):
    rest = {key: value for key, value in event.items() if key not in ("at", "event")}
    return f"  {event['at']:9.3f} s  {event.get('event'):8}  {json.dumps(rest, ensure_ascii=False)}"


def report(history):
    """Prints what was found. Returns whether all is legal."""
    jobs, all_faults, found = check(history)
    kinds = collections.Counter(fault.kind for fault in all_faults)
    acknowledged = [job for job in jobs.values() if job.acknowledgement]
    statuses = collections.Counter(job.callbacks[0]["status"] for job in jobs.values() if job.callbacks)
    delays = sorted(job.received["at"] - job.acknowledgement["at"] - job.calls[0]["budget"] for job in acknowledged if job.received)
    print(json.dumps({
        "seconds": round(history[-1]["at"]), "jobs": len(jobs), "acknowledged": len(acknowledged),
        "refused": sum(all(event["result"] == "refused" for event in job.answers) for job in jobs.values()),
        "unknown_calls": sum(event["result"] == "unknown" for job in jobs.values() for event in job.answers),
        "answered": sum(bool(job.callbacks) for job in jobs.values()), "statuses": dict(statuses),
        "posts_repeated": sum(max(0, len(job.callbacks) - 1) for job in jobs.values()),
        "after_the_budget": sum(delay > 0 for delay in delays), "seconds_late_at_most": round(max(delays, default=0), 1),
        "faults": len(all_faults), "faults_by_kind": dict(sorted(kinds.items())), "illegal": len(found),
        "illegal_by_rule": dict(collections.Counter(rule for _, rule, _, _ in found)),
    }, indent=1))
    if found:
        job, rule, text, events = found[0]
        print(f"\nThe shortest counterexample: {job.name} breaks the rule \"{rule}\": {text}")
        for event in sorted(events, key=lambda event: event["at"]):
            print(line(event))
        between = [fault for fault in all_faults if fault.end >= events[0]["at"] and fault.start <= events[-1]["at"]]
        print("  faults in that time: " + (", ".join(f"{fault.kind} of {fault.target}" for fault in between) or "none"))
    return not found


def self_test():
    """Small histories, each with what the checker must say of it."""
    payload = '{"aps":{"mutable-content":1},"my-attachment":"http://a/b.jpg","n":1.20}'
    rewritten = payload.replace("http://a/b.jpg", "https://c/d.jpg")

    def body(payload=rewritten, outcome="complete"):
        return f'{{"outcome":"{outcome}","payload":{payload}}}'

    def call(at, number=1):
        return {"at": at, "event": "call", "job": "j", "budget": 5, "number": number, "payload": payload}

    def answer(at, result="acknowledged", number=1):
        return {"at": at, "event": "answer", "job": "j", "number": number, "result": result, "reason": ""}

    def post(at, status="ok", text=None, accepted=True, genuine=True):
        return {"at": at, "event": "callback", "job": "j", "status": status, "attempt": "1", "genuine": genuine,
                "accepted": accepted, "body": body() if text is None else text}

    def fault(at, end, kind="kill"):
        return [{"at": at, "event": "fault", "kind": kind, "target": "w"}, {"at": end, "event": "healed", "kind": kind, "target": "w"}]

    over = {"at": 300.0, "event": "end"}
    cases = [
        (None, [call(0), answer(0.1), post(1)]),
        (None, [call(0), answer(0.1), post(1), post(2)]),
        (None, [call(0), answer(0.1, "unknown"), call(1, 2), answer(1.1, number=2), post(2)]),
        (None, [call(0), answer(0.1, "unknown")]),
        (None, [call(0), answer(0.1, "refused")]),
        (None, [call(0), answer(0.1), *fault(1, 9), post(30)]),
        (None, [call(0), answer(0.1), post(1, accepted=False), *fault(1, 4, "refused_callbacks"), post(5)]),
        (None, [call(0), answer(0.1), post(1, "expired", body(payload, "original"))]),
        ("invented", [post(1)]),
        ("invented", [call(0), answer(0.1), post(1, genuine=False)]),
        ("refused", [call(0), answer(0.1, "refused"), post(1)]),
        ("twice", [call(0), answer(0.1), post(1), post(2, "degraded", body(outcome="degraded"))]),
        ("twice", [call(0), answer(0.1, "unknown"), post(1), post(2, text=body() + " ")]),
        ("changed", [call(0), answer(0.1), post(1, text=body(rewritten.replace("1.20", "1.2")))]),
        ("changed", [call(0), answer(0.1), post(1, "original", body(rewritten, "original"))]),
        ("status", [call(0), answer(0.1), post(1, "degraded")]),
        ("status", [call(0), answer(0.1), post(1, "failed", "The envelope is wrong.")]),
        ("status", [call(0), answer(0.1), *fault(0.2, 0.5), post(1, "poison", "")]),
        ("lost", [call(0), answer(0.1)]),
        ("lost", [call(0), answer(0.1), *fault(1, 9)]),
        ("lost", [call(0), answer(0.1), post(1, accepted=False)]),
        ("late", [call(0), answer(0.1), post(9)]),
        ("late", [call(0), answer(0.1), *fault(1, 4), post(40)]),
    ]
    for expected, history in cases:
        history = [*sorted(history, key=lambda event: event["at"]), over]
        found = [rule for _, rule, _, _ in check(history)[2]]
        if found != ([expected] if expected else []):
            raise SystemExit(f"error: {found} instead of {expected} in\n" + "\n".join(map(line, history)))
    print(f"endure: the checker is right about {len(cases)} small histories")


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        sys.exit(not report(read(sys.argv[1])))
