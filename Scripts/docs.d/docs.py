"""Writes the generated parts of all pages. With --check, checks them, all links, all
commands, and what pages say by hand about the sources instead."""

import re
import sys

import facts
import made
import pages

program, *rest = sys.argv[1:]
checks = rest == ["--check"]
if rest and not checks:
    sys.exit(f"docs: there is no option {rest[0]}; write --check or leave it out")

mark = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end of made -->)", re.DOTALL)
problems = []
parts = None

for page in pages.all_pages():
    text = page.read_text()
    if not mark.search(text):
        continue
    parts = parts or made.Program(program)

    def part(match):
        return f"{match[1]}\n{made.parts[match[2]](parts)}\n\n{match[3]}"

    new = mark.sub(part, text)
    if new != text and checks:
        problems.append(f"{page}: a made part is out of date. Write it anew: Scripts/docs")
    elif new != text:
        page.write_text(new)
        print(f"{page}: written")

problems += pages.problems()
problems += facts.problems(parts or made.Program(program))
for problem in problems:
    print(f"error: {problem}", file=sys.stderr)
if problems:
    sys.exit(1)
print(f"docs: {len(pages.all_pages())} pages, all links lead somewhere")
