"""Compares what the pages say by hand with the sources and the program: routes, fields, times, messages, and numbers."""

import json
import pathlib
import re

sources = pathlib.Path("Sources")
methods = ("GET", "HEAD", "POST", "PUT", "DELETE")


def text(path):
    return pathlib.Path(path).read_text()


def module(name):
    """All sources of a module, so that a file may be moved or merged within it."""
    files = (sources / name).rglob("*")
    return "\n".join(file.read_text() for file in sorted(files) if file.suffix in (".swift", ".lua"))


def found(name, pattern, flags=0):
    """The first part of the match of a pattern in a module."""
    match = re.search(pattern, module(name), flags)
    if not match:
        raise SystemExit(f"docs: Sources/{name} has no {pattern} any more: tell Scripts/docs.d/facts.py where it is")
    return match[1]


def rows(page, head):
    """The rows of the table whose head begins with these cells, without the head."""
    lines = text(page).split("\n")
    start = next((number for number, line in enumerate(lines) if line.startswith(f"| {head} |")), None)
    if start is None:
        return []
    end = next(number for number in range(start, len(lines) + 1) if number == len(lines) or not lines[number].startswith("|"))
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[start + 2:end]]


def words(cell):
    """What a cell has in code."""
    return re.findall(r"`([^`]*)`", cell)


def compare(page, what, said, real):
    for name in sorted(set(real) - set(said)):
        yield f"{page}: {what}: {name} is missing"
    for name in sorted(set(said) - set(real)):
        yield f"{page}: {what}: there is no {name}"


# Routes


def listed_routes():
    """The routes of the table, such as `GET /livez`. A path without a method has that of the path before it."""
    for cells in rows("docs/http-api.md", "route | takes | gives"):
        waiting, last = [], []
        for word in words(cells[0]):
            word = word.split("?")[0]
            named = re.match(r"(\w+)? ?(/.*)?$", word)
            if named[1]:
                waiting.append(named[1])
            if named[2]:
                last, waiting = waiting or last, []
                yield from (f"{method} {named[2]}" for method in last)


def described_routes():
    for path, item in json.loads(text("Sources/Faces/Sidecar/openapi.json"))["paths"].items():
        yield from (f"{name.upper()} {path}" for name in item if name.upper() in methods)


def served_routes():
    """The routes of the sources. The preview's own, and the short form of a link, are no part of the API."""
    for file in sorted((sources / "Faces/Sidecar").rglob("*.swift")):
        for method, path in re.findall(r'\brouter\.(get|post|put|delete)\("([^"]*)"', file.read_text()):
            if not path.startswith("preview"):
                path = re.sub(r":(\w+)", r"{\1}", path)
                yield f"{method.upper()} /{path}"


def route_problems():
    described = set(described_routes())
    yield from compare("docs/http-api.md", "routes", listed_routes(), described | {"GET /preview"})
    for route in sorted(set(served_routes()) - described):
        yield f"Sources/Faces/Sidecar/openapi.json: {route} is missing"


# Fields


def envelope_problems():
    keys, job_keys = (
        set(re.findall(r'"(\w+)"', found("Pipeline/Processing", rf"struct NotificationEnvelope: .*?let {name}: Set = \[(.*?)\]", re.DOTALL)))
        for name in ("keys", "jobKeys")
    )
    said = [word for cells in rows("docs/http-api.md", "key of the envelope | meaning") for word in words(cells[0])]
    yield from compare("docs/http-api.md", "keys of the envelope", said, keys | job_keys)
    schemas = json.loads(text("Sources/Faces/Sidecar/openapi.json"))["components"]["schemas"]
    yield from compare("Sources/Faces/Sidecar/openapi.json", "keys of Envelope", schemas["Envelope"]["properties"], keys)


def reason_problems():
    """The stages of each reason where a literal in the sources names both, and the numbers and names of its code."""
    page = "docs/troubleshooting.md"
    names = found("Core/Media", r"var code: UserNotificationsErrorCode\? \{\s*switch reason \{(.*?)\n        \}", re.DOTALL)
    cases = found("Core/Media", r"enum UserNotificationsErrorCode.*?\{(.*?)\n\}", re.DOTALL)
    numbers = {"nil": None} | dict(re.findall(r"case (\w+) = (\d+)", cases))
    code_of = {
        reason: code for reasons, code in re.findall(r"case ([^:]*):\s*\.?(\w+)", names) for reason in re.findall(r"\.(\w+)", reasons)
    }
    said = {words(cells[0])[0]: set(cells[1].split(", ")) for cells in rows(page, "reason | stage, code")}
    for reason, code in code_of.items():
        codes = [each for each in said.get(reason, ()) if each.isdigit()]
        if reason in said and codes != [numbers[code]] * (code != "nil"):
            yield f"{page}: the code of {reason} is {code}"
    for code in sorted(set(code_of.values()) - {"nil"}):
        if f"{numbers[code]} `{code}`" not in " ".join(text(page).split()):
            yield f"{page}: the name of the code {numbers[code]} is {code}"
    made = {pair: file for file in sorted(sources.rglob("*.swift"))
            for pair in re.findall(r"AttachmentFailure\(\s*\.(\w+),\s*\.(\w+),", file.read_text())}
    for (stage, reason), file in sorted(made.items()):
        if not {stage, "any"} & said.get(reason, {"any"}):
            yield f"{page}: {reason} also has the stage {stage} ({file})"


# Times


def time_problems():
    reserve = int(found("Pipeline/Processing", r"let reserve = min\(\.milliseconds\((\d+)\), left / 10\)"))
    decoding = int(found("Pipeline/Processing", r"return expiry - min\(max\(\.milliseconds\((\d+)\), cost\)"))
    part = int(found("Pipeline/Processing", r"storeExpiry = end - reserve / (\d+)"))
    notice = int(found("Stages/Decoding", r"var notice: Duration = \.milliseconds\((\d+)\)"))
    real = [reserve + decoding, reserve + notice, reserve, reserve // part, 0]
    said = [int(cells[0].split()[0]) for cells in rows("docs/architecture.md", "time before the deadline | what happens")]
    if said != real:
        yield f"docs/architecture.md: the times before the deadline are {said}; in the sources they are {real}"


# Messages of the log


def message_problems():
    said = [word.rstrip("…").strip() for cells in rows("docs/monitoring.md", "message | means") for word in words(cells[0])]
    call = re.compile(r'\b(?:log|logger)\.(?:warn|notice|warning|error|critical)\(\s*"((?:[^"\\]|\\.)*)"')
    for layer in ("Program/App", "Operations/Observability/Observers", "Faces/Sidecar"):
        for file in sorted((sources / layer).rglob("*.swift")):
            for message in call.findall(file.read_text()):
                message = message.replace('\\"', '"')
                if not any(message == each or (each.endswith((".", ",")) and message.startswith(each)) for each in said):
                    yield f"docs/monitoring.md: the log's message is not explained: {message}"


# Numbers


def number(words):
    return int(words.replace(",", "").replace("_", ""))


# A number in a page, and the same number in a module.
figures = [
    ("docs/queue.md", r"\| dead letters \| the latest ([\d,]+)", "Queue/JobsSQLite", r"deadLetterLimit = ([\d_]+)"),
    ("docs/queue.md", r"\| dead letters \| the latest ([\d,]+)", "Queue/JobsRedis", r"'dead', 'MAXLEN', '~', (\d+)"),
    ("docs/files.md", r"keeps the ([\d,]+) attachments", "Pipeline/Processing",
     r"var kept = BoundedTable<[^>]*>\(entryLimit: ([\d_]+)"),
    ("docs/files.md", r"at most ([\d,]+)\s+held\s+files", "Pipeline/Processing",
     r"var prepared = BoundedTable<[^>]*>\(entryLimit: ([\d_]+)"),
    ("docs/sizing.md", r"At most ([\d,]+)\s+downloads\s+keep\s+their\s+connections", "Core/Media",
     r"static let waitingLimit = ([\d_]+)"),
]


def figure_problems():
    for page, said, name, real in figures:
        written, value = re.search(said, text(page)), found(name, real)
        if not written:
            yield f"{page}: {said} is not there any more: tell Scripts/docs.d/facts.py"
        elif number(written[1]) != number(value):
            yield f"{page}: {written[0]}: in Sources/{name} it is {value}"


def count_problems(program):
    """The counts of things that are listed elsewhere."""
    counts = [
        ("README.md", r"(\d+) \[dialects\]", len({row[0] for row in program.dialects})),
    ]
    for page, said, count in counts:
        written = re.search(said, text(page))
        if not written or number(written[1]) != count:
            yield f"{page}: {written[0] if written else said}: there are {count}"


def problems(program):
    checks = [route_problems, envelope_problems, reason_problems, time_problems, message_problems, figure_problems]
    return [problem for check in checks for problem in check()] + list(count_problems(program))
