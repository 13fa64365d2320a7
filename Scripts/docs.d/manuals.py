"""Writes the manual pages of attachd, in mdoc, from its help and the table of exit statuses: manuals.py ATTACHD FOLDER

With --check instead of a folder, it writes nothing, and fails if groff finds something wrong with them.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import made


def text(words):
    """Words as text in a page, where a backslash and a dot at the beginning of a line have a meaning."""
    words = words.replace("\\", "\\e").replace("`", "").replace("–", "-").replace("…", "...")
    words = re.sub(r"^([.'])", r"\\&\1", words, flags=re.MULTILINE)
    return re.sub(r"\n\s*\n", "\n.Pp\n", words)


def quoted(words):
    """Words as one argument of a macro."""
    return '"' + text(words).replace('"', '""') + '"'


def value(argument):
    return argument["valueName"].upper().replace(" ", "-")


def names(argument):
    """The names and the value of an argument, as arguments of a macro."""
    if not argument.get("names"):
        return f"Ar {value(argument)}"
    dashes = {"short": "", "long": "-", "longWithSingleDash": ""}
    found = " , ".join(f"Fl {dashes[name['kind']]}{name['name']}" for name in argument["names"])
    return f"{found} Ar {value(argument)}" if argument["kind"] == "option" else found


def usage(argument):
    if not argument.get("names"):
        word = f"Ar {value(argument)}" + (" ..." if argument["isRepeating"] else "")
        return f".Op {word}" if argument["isOptional"] else f".{word}"
    return f".Op {names(argument)}"


def option(argument):
    meaning, default = made.split_default(argument)
    lines = [f".It {names(argument)}", text(meaning or "The value.")]
    if default:
        lines.append(text(f"Default: {default}."))
    return lines


def table(items):
    return [".Bl -tag -width Ds", *items, ".El"]


def date_of_sources():
    """The day of the commit: from the variable that builds of releases set, or from git."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return time.strftime("%Y-%m-%d", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"])))
    date = subprocess.run(["git", "log", "-1", "--format=%cs"], capture_output=True, text=True).stdout.strip()
    return date or "2026-01-01"


class Manual:
    """The pages of one program."""

    def __init__(self, path):
        self.program = made.Program(path)
        self.version = self.program.output("--version").strip()
        self.date = date_of_sources()
        self.variables = {option: variable for _, variable, option in made.settings_table()} | {"config": "ATTACHD_CONFIG"}
        self.commands = list(self.program.commands())

    def statuses(self):
        section = pathlib.Path("docs/configuration.md").read_text().split("## Exit status")[1]
        rows = re.findall(r"^\| (\d+) \| (.*) \|$", section, re.MULTILINE)
        return table([line for status, meaning in rows
                      for line in (f".It {status}", text(re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", meaning)))])

    def head(self, name, abstract):
        return [
            '.\\" Made by Scripts/manuals from the help of attachd.', f".Dd {self.date}",
            f".Dt {name.replace(' ', '-').upper()} 1", f".Os {quoted(self.version)}", ".Sh NAME",
            f".Nm {name.replace(' ', '-')}", f".Nd {text(abstract.rstrip('.'))}"]

    def overview(self):
        help = self.program.help
        lines = self.head("attachd", help["abstract"]) + [
            ".Sh SYNOPSIS", ".Nm attachd", ".Ar COMMAND", ".Op Ar ARGUMENT ...", ".Sh DESCRIPTION",
            text(help.get("discussion") or help["abstract"]), ".Sh COMMANDS"]
        lines += table([line for name, command, _ in self.commands
                        for line in (f".It Xr {name.replace(' ', '-')} 1", text(command["abstract"]))])
        lines += [".Sh EXIT STATUS", *self.statuses(), ".Sh SEE ALSO", "The documentation in the folder",
                  ".Pa docs", "of the sources."]
        return lines

    def page(self, name, command, arguments):
        lines = self.head(name, command["abstract"]) + [".Sh SYNOPSIS", f".Nm {quoted(name)}"]
        lines += [usage(argument) for argument in arguments]
        lines += [".Sh DESCRIPTION", text(command["abstract"])]
        if command.get("discussion"):
            lines += [".Pp", text(command["discussion"])]
        if arguments:
            lines += [".Sh OPTIONS", *table([line for argument in arguments for line in option(argument)])]
        variables = [(self.variables[made.long_name(argument)], made.long_name(argument))
                     for argument in arguments if made.long_name(argument) in self.variables]
        if variables and made.takes_settings(name):
            lines += [".Sh ENVIRONMENT", "Each variable has the meaning of an option. The option wins."]
            lines += table([line for variable, of in sorted(variables) for line in (f".It Ev {variable}", f".Fl -{of}")])
        lines += [".Sh EXIT STATUS", *self.statuses(), ".Sh SEE ALSO", ".Xr attachd 1"]
        return lines

    def write(self, folder):
        pages = {"attachd": self.overview()}
        pages |= {name.replace(" ", "-"): self.page(name, command, arguments)
                  for name, command, arguments in self.commands}
        for name, lines in pages.items():
            (folder / f"{name}.1").write_text("\n".join(lines) + "\n")
        return sorted(folder / f"{name}.1" for name in pages)


def problems(page):
    """What groff says about a page, and the words that its picture does not have."""
    shown = subprocess.run(["groff", "-mdoc", "-ww", "-Tutf8", "-P-cbou", page], capture_output=True, text=True)
    found = shown.stderr.splitlines()
    words = re.sub(r"\s+", " ", shown.stdout.replace("−", "-").replace("‐", "-"))
    for section in "NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS":
        if section not in words:
            found.append(f"{page.name}: there is no section {section}")
    for name in re.findall(r"^\.It Fl -(\S+)", page.read_text(), re.MULTILINE):
        if f"--{name}" not in words:
            found.append(f"{page.name}: --{name} is not shown")
    return found


def main():
    manual = Manual(sys.argv[1])
    if sys.argv[2] != "--check":
        folder = pathlib.Path(sys.argv[2])
        folder.mkdir(parents=True, exist_ok=True)
        print(f"{len(manual.write(folder))} manual pages in {folder}")
        return
    with tempfile.TemporaryDirectory() as folder:
        pages = manual.write(pathlib.Path(folder))
        found = [problem for page in pages for problem in problems(page)]
    for problem in found:
        print(f"error: {problem}", file=sys.stderr)
    if found:
        sys.exit(1)
    print(f"manuals: {len(pages)} pages, and groff has nothing to say")


if __name__ == "__main__":
    main()
