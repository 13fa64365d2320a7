"""Writes openapi.json in 120 columns: what fits a line stands on one, and lists of words fill lines. With --check, only compares it.

Scripts/format runs it.
"""

import json
import pathlib
import sys

FILE = pathlib.Path(__file__).parents[2] / "Sources/Faces/Sidecar/openapi.json"
WIDTH = 120


def text(value, indent=0, before=0):
    """The value's JSON. It begins after `before` columns beyond the indent."""
    line = json.dumps(value, ensure_ascii=False)
    if indent + before + len(line) < WIDTH or not value or not isinstance(value, (dict, list)):
        return line
    inner = " " * (indent + 2)
    if isinstance(value, list) and not any(isinstance(item, (dict, list)) for item in value):
        words = [json.dumps(item, ensure_ascii=False) for item in value]
        parts = [inner + words[0]]
        for word in words[1:]:
            if len(parts[-1]) + 2 + len(word) < WIDTH:
                parts[-1] += f", {word}"
            else:
                parts.append(inner + word)
    elif isinstance(value, list):
        parts = [inner + text(item, indent + 2) for item in value]
    else:
        names = {name: json.dumps(name, ensure_ascii=False) + ": " for name in value}
        parts = [inner + names[name] + text(item, indent + 2, len(names[name])) for name, item in value.items()]
    opening, closing = "[]" if isinstance(value, list) else "{}"
    return f"{opening}\n" + ",\n".join(parts) + f"\n{' ' * indent}{closing}"


def main(checks):
    found = FILE.read_text()
    wanted = text(json.loads(found)) + "\n"
    if found == wanted:
        return
    if checks:
        sys.exit(f"error: {FILE.name} is not formatted; run Scripts/format")
    FILE.write_text(wanted)


if __name__ == "__main__":
    main("--check" in sys.argv)
