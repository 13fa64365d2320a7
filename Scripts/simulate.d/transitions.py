"""Prints how often simulated runs went through each transition of the state machines: transitions.py PROGRAM COUNTS.

A transition is a method that changes the state, and each block of it. The compiler counted them (llvm-cov), so the product has no
code for this. A block that never ran needs a reason in untaken.json, and a reason needs a block. Other seeds may run it.
"""

import json
import pathlib
import re
import subprocess
import sys

machines = {
    "WorkerState": ["Queue/Worker/WorkerState.swift"],
    "DecoderPoolState": [
        "Stages/Decoding/Pool/DecoderPoolState.swift",
        "Stages/Decoding/Pool/DecoderSchedule.swift",
        "Stages/Decoding/Processes/ZygoteSuccession.swift",
    ],
    "AttachmentCache": ["Pipeline/Processing/Attachments/AttachmentCache.swift"],
    "OriginTable": [
        "Stages/HTTPClient/Origins/OriginTable.swift",
        "Stages/HTTPClient/Origins/OriginTable+Preemption.swift",
        "Stages/HTTPClient/Origins/OriginRecord.swift",
        "Core/Timing/CircuitBreaker.swift",
    ],
}
reasons = pathlib.Path(__file__).with_name("untaken.json")


def counted(program, counts, path):
    """Returns the counts of the blocks of a file, by the line and column at which they begin."""
    command = ["llvm-cov", "export", "-instr-profile", counts, program, str(path)]
    data = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["data"][0]
    found = {}
    for function in data["functions"]:
        if pathlib.Path(function["filenames"][0]) != path:
            continue
        for line, column, end, _, count, _, _, kind in function["regions"]:
            # A generic function has counts for each of its uses.
            if kind == 0:
                found[line, column] = (found.get((line, column), (0, 0))[0] + count, end)
    return found


def method(lines, line, is_value):
    """Returns the name of the method whose body begins on that line, if it changes the state."""
    for start in range(line - 1, max(-1, line - 12), -1):
        head = re.search(r"\b(?:(mutating) )?func (\w+)|\b(?:init\b|var \w+|subscript)", lines[start])
        if head:
            text = " ".join(part.strip() for part in lines[start:line])
            is_change = head[2] and (head[1] or not is_value) and "{" in lines[line - 1]
            labels = re.findall(r"(\w+)(?: \w+)?: ", signature(text))
            return f"{head[2]}({''.join(label + ':' for label in labels)})" if is_change else None
    return None


def signature(text):
    """Returns the parameters of a function, without what stands in parentheses within them."""
    depth, found = 0, ""
    for character in text[text.index("(") + 1 :] if "(" in text else "":
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(character, 0)
        if depth < 0:
            break
        if depth == 0:
            found += character
    return found


def outcome(lines, line, column, end, first):
    """Returns the text that says when the block at that position runs; `None` if it is not a block with a condition."""
    text = lines[line - 1]
    before, block = text[: column - 1].strip(), text[column - 1 :].strip()
    if block.startswith(("case ", "default:")):
        return block.split(":")[0] if block.startswith("default") else re.sub(r":( .*)?$", "", block)
    if not block.startswith("{"):
        return None
    if before in ("} else", "else"):
        return f"else: {lines[line].strip()}" if line < end else "else"
    if before.startswith("} "):
        return before.removeprefix("} ")
    # A condition may begin on an earlier line.
    start = line - 1
    while start >= first and not re.match(r"\s*(guard|if|for|while|do|switch|defer)\b", lines[start]):
        start -= 1
    condition = " ".join([part.strip() for part in lines[start : line - 1]] + [before])
    # The brace of a closure stands within parentheses, or after a block.
    is_condition = re.match(r"(guard|if|for|while)\b", condition)
    is_whole = condition.count("(") == condition.count(")") and not re.search(r"\} [a-z(]", condition)
    return condition if is_condition and is_whole else None


def table(program, counts, name, paths, untaken, known_blocks):
    rows = []
    for path in paths:
        path = pathlib.Path("Sources", path).resolve()
        lines = path.read_text().splitlines()
        is_value = not re.search(r"^(package )?final class", "\n".join(lines), re.M)
        row = None
        for (line, column), (count, end) in sorted(counted(program, counts, path).items()):
            if lines[line - 1][column - 1 : column] == "{" and re.search(r"\b(func|init|var|subscript)\b", heading(lines, line)):
                title = method(lines, line, is_value)
                if title and len(paths) > 1:
                    title = f"{path.stem.split('+')[0]}.{title}"
                row = [title, count, [], end, line] if title else None
                if row:
                    rows.append(row)
            elif row and line <= row[3]:
                text = outcome(lines, line, column, end, row[4])
                if text:
                    row[2].append((text, count))
                    known_blocks.add((name, row[0], text))
                    if count == 0 and row[1]:
                        untaken.append((name, row[0], text))
        untaken += [(name, row[0], "") for row in rows if row[1] == 0 and (name, row[0], "") not in untaken]
        known_blocks.update((name, row[0], "") for row in rows)
    print(f"\n**{name}**\n\n| change | times | of them |\n|---|---|---|")
    for title, count, outcomes, *_ in rows:
        cells = "; ".join(f"`{text}` {times:,}" for text, times in outcomes)
        print(f"| `{title}` | {count:,} | {cells.replace('|', chr(92) + '|')} |")
    return len(rows), sum(len(row[2]) for row in rows)


def heading(lines, line):
    """Returns the declaration that a body on that line may belong to: its line, or those before it up to its first word."""
    start = line - 1
    if re.match(r"\s*\)|\s*where|\s*->", lines[start]):
        while start > 0 and not re.search(r"\b(func|init)\b", lines[start]) and line - start < 12:
            start -= 1
    text = lines[start]
    return text if re.match(r"\s*(@\w+ )?((fileprivate|private|package|static|mutating) )*(func|init|var|subscript)\b", text) else ""


def main(program, counts):
    known = {tuple(key.split(" | ")): reason for key, reason in json.loads(reasons.read_text()).items()}
    untaken, known_blocks, methods, blocks = [], set(), 0, 0
    for name, paths in machines.items():
        found = table(program, counts, name, paths, untaken, known_blocks)
        methods, blocks = methods + found[0], blocks + found[1]
    print(f"\n{methods} changes with {blocks} outcomes, {len(untaken)} of them never taken:\n")
    print("| never taken | because |\n|---|---|")
    for name, title, text in untaken:
        where = f"`{title}`" + (f", `{text}`" if text else "")
        print(f"| {name}, {where} | {known.get((name, title, text), '')} |".replace("||", "\\|\\|"))
    missing = [key for key in untaken if key not in known]
    stale = [key for key in known if key not in known_blocks]
    for key in missing:
        print(f"error: no reason is given for {' | '.join(key)}", file=sys.stderr)
    for key in stale:
        print(f"error: this is no longer there: {' | '.join(key)}", file=sys.stderr)
    sys.exit(1 if missing or stale else 0)


main(*sys.argv[1:])
