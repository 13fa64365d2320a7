"""The Markdown pages of the project, with their links and their commands."""

import functools
import glob
import pathlib
import re
import subprocess

root = pathlib.Path(".")
fence = re.compile(r"^(```+|~~~+)")


@functools.cache
def all_pages():
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        check=True, capture_output=True, text=True,
    ).stdout.split("\n")
    return [pathlib.Path(name) for name in sorted(set(names)) if name and pathlib.Path(name).exists()]


@functools.cache
def prose(page):
    """The lines outside of code blocks, with their numbers."""
    lines, closing = [], None
    for number, line in enumerate(page.read_text().split("\n"), 1):
        match = fence.match(line.lstrip())
        if closing:
            if match and match[1].startswith(closing):
                closing = None
        elif match:
            closing = match[1]
        else:
            lines.append((number, line))
    return lines


@functools.cache
def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    found, seen = set(), {}
    for _, line in prose(page):
        match = re.match(r"#{1,6} +(.*?) *#*$", line)
        if not match:
            continue
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", match[1]).lower()
        slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        found.add(f"{slug}-{count}" if count else slug)
    return found


def link_problems(page):
    for number, line in prose(page):
        for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "``", line)):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path) if path else page
            if not file.exists():
                yield f"{page}:{number}: there is no {target}"
            elif anchor and anchor not in anchors(file.resolve().relative_to(root.resolve())):
                yield f"{page}:{number}: {path or page} has no heading #{anchor}"


def name_problems(page):
    """Checks that files and folders named in prose exist."""
    for number, line in prose(page):
        for name in re.findall(r"`((?:Sources|Tests|Scripts|Samples|docs)/[^`\s]*)`", line):
            if not glob.glob(name):
                yield f"{page}:{number}: there is no {name}"


def commands(page):
    """The blocks of commands: line number, the mark before them, and their text."""
    lines = page.read_text().split("\n")
    number = 0
    while number < len(lines):
        if lines[number].strip() == "```console":
            end = next(i for i in range(number + 1, len(lines)) if lines[i].strip() == "```")
            before = next((lines[i] for i in range(number - 1, -1, -1) if lines[i].strip()), "")
            yield number + 1, before.strip(), lines[number + 1:end]
            number = end
        number += 1


def is_documentation(page):
    return page.parent == pathlib.Path("docs") or page.parent == root


def command_problems(page):
    if not is_documentation(page):
        return
    for number, mark, _ in commands(page):
        if not re.fullmatch(r"<!-- (run|run by: .+|not run: .+) -->", mark):
            yield (
                f"{page}:{number}: say before the commands who runs them: <!-- run --> (Scripts/samples docs), "
                "<!-- run by: SCRIPT -->, or <!-- not run: WHY -->"
            )


# Names in the sources that a page must explain: the page, the file, the part of the file, and the pattern of the names.
named = [
    ("docs/media.md", "Sources/Core/Media/Rung.swift", r"enum Rung[^{]*{(.*?)\n}", r"case (\w+)(?: = \"([\w-]+)\")?"),
    ("docs/troubleshooting.md", "Sources/Core/Media/AttachmentFailure.swift", r"enum Reason[^{]*{(.*?)\n    }", r"(?:case|,) (\w+)()"),
    ("docs/http-api.md", "Sources/Faces/Sidecar/openapi.json", r"(.*)", r'"(/[^"]*)"(): {'),
    ("docs/monitoring.md", "Samples/deploy/prometheus/alerts.yml", r"(.*)", r"- alert: (\w+)()"),
    (
        "docs/security.md", "Sources/Decoder/DecoderWire/SandboxReport.swift",
        r"enum SandboxLayer[^{]*{(.*?)\n}", r"case (\w+)(?: = \"([\w-]+)\")?",
    ),
]


def naming_problems():
    for page, source, part, name in named:
        match = re.search(part, re.sub(r"///.*", "", pathlib.Path(source).read_text()), re.DOTALL)
        names = [raw or swift for swift, raw in re.findall(name, match[1])] if match else []
        if not names:
            yield f"{source} names nothing any more that {page} explains: tell Scripts/docs.d/pages.py where it is"
        text = pathlib.Path(page).read_text()
        for missing in (each for each in names if not re.search(rf"[`/ ]{re.escape(each.lstrip('/'))}(?!\w)", text)):
            yield f"{page}: {missing} of {source} is not explained"


def problems():
    found = [
        problem for page in all_pages() for find in (link_problems, name_problems, command_problems)
        for problem in find(page)
    ]
    return found + list(naming_problems())
