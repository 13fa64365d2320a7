"""The generated tables of the documentation in Markdown, from the program's output and its sources."""

import json
import pathlib
import re
import subprocess

sources = pathlib.Path("Sources")


def table(head, rows):
    """The table, without columns in which all cells are empty."""
    used = [column for column in range(len(head)) if any(row[column] for row in rows)]
    lines = ["| " + " | ".join(row[column].replace("|", "\\|") for column in used) + " |" for row in [head] + rows]
    return "\n".join([lines[0], "|" + "---|" * len(used)] + lines[1:])


def code(text):
    return f"`{text}`" if text else ""


class Program:
    """The attachd program, as a source of documentation."""

    def __init__(self, path):
        self.path = path
        self.help = json.loads(self.output("--experimental-dump-help"))["command"]
        dialects, fields, profiles = self.output("dialects").strip().split("\n\n")
        self.dialects = self.columns(dialects)
        self.fields = self.columns(fields)
        self.profiles = self.columns(profiles)

    def output(self, *arguments):
        return subprocess.run([self.path, *arguments], check=True, capture_output=True, text=True).stdout

    @staticmethod
    def columns(text):
        """The rows below a header with aligned columns."""
        lines = text.split("\n")
        starts = [match.start() for match in re.finditer(r"\S+", lines[0])]
        bounds = list(zip(starts, starts[1:] + [None]))
        return [[line[start:end].strip() for start, end in bounds] for line in lines[1:]]

    def commands(self, command=None, above=""):
        """The commands without subcommands, with their options by long names."""
        command = command or self.help
        name = f"{above} {command['commandName']}".strip()
        below = [each for each in command.get("subcommands", []) if each["commandName"] != "help"]
        if not below:
            yield name, command, [each for each in command.get("arguments", []) if not is_help(each)]
        for each in below:
            yield from self.commands(each, name)


def is_help(argument):
    return any(name["name"] in ("help", "version") for name in argument.get("names", []))


def long_name(argument):
    return next((name["name"] for name in argument.get("names", []) if name["kind"] == "long"), None)


def split_default(argument):
    """The meaning, and the default value at its end in the help text."""
    meaning = argument.get("abstract", "")
    match = re.search(r" \(default: (.*)\)$", meaning)
    if match:
        return meaning[: match.start()], match[1]
    return meaning, argument.get("defaultValue") or ""


def with_default(argument):
    meaning, default = split_default(argument)
    return f"{meaning} Default: {default}." if default else meaning


def written(argument):
    """The argument as the user types it."""
    name = long_name(argument)
    if not name:
        return argument["valueName"].upper()
    if argument["kind"] != "option":
        return f"--{name}"
    return f"--{name} …" if argument["valueName"] == name else f"--{name} {argument['valueName'].upper()}"


def settings_table():
    """The key, variable and option of each setting, from the table that declares them."""
    text = (sources / "Operations/Settings/SettingsTable.swift").read_text()
    names = re.findall(r'= Setting\(\s*"([\w.]+)",(?:\s*option: "--([\w-]+)")?', text)
    assert len(names) == text.count("= Setting("), "a setting begins with its key"
    words = [(key, option, re.sub(r"([A-Z])", r"_\1", key).replace(".", "_")) for key, option in names]
    return [(key, f"ATTACHD_{name.upper()}", option or name.lower().replace("_", "-")) for key, option, name in words]


def takes_settings(name):
    return name.split()[1] not in ("loadtest", "origin", "health")


def settings_of(program):
    """The options by their names, with their commands; the server's option if commands differ in its meaning."""
    found = {}
    for name, _, arguments in sorted(program.commands(), key=lambda each: each[0] != "attachd serve"):
        for argument in arguments if takes_settings(name) else []:
            found.setdefault(long_name(argument), (argument, []))
            if found[long_name(argument)][0]["abstract"] == argument["abstract"]:
                found[long_name(argument)][1].append(name.split()[1])
    return found


def options(program):
    """The settings with their options, variables and keys: a table for each set of commands."""
    given = settings_of(program)
    having = {}
    for name, _, arguments in program.commands():
        for argument in arguments:
            having.setdefault(long_name(argument), set()).add(name.split()[1])
    every = frozenset(given["config"][1])
    groups = {}
    for key, variable, option in [("", "ATTACHD_CONFIG", "config")] + settings_table():
        if option.startswith("no-"):
            key, variable = f"{key}: false", f"{variable}=false"
        argument, of = given[option]
        meaning, default = split_default(argument)
        # Commands with a default of their own list the option once more.
        commands = every if every <= having[option] else frozenset(of)
        groups.setdefault(commands, []).append([code(written(argument)), code(variable), code(key), default, meaning])
    head = ["option", "variable", "key", "default", "meaning"]
    return "\n\n".join(
        f"For {commands_with(of, program)}:\n\n{table(head, rows)}" for of, rows in groups.items())


def commands_with(of, program):
    """The commands of a set of options in words."""
    names = list(dict.fromkeys(name.split()[1] for name, _, _ in program.commands()))
    every = [name for name in names if takes_settings(f"attachd {name}")]
    if set(every) <= of:
        return "all commands except " + listed(name for name in names if name not in every)
    return listed(name for name in every if name in of)


def listed(names):
    *most, last = map(code, names)
    return f"{', '.join(most)} and {last}" if most else last


def commands(program):
    """The table of each command's own options."""
    given = settings_of(program)
    shared = {given[option][0]["abstract"] for option in ["config"] + [option for _, _, option in settings_table()]}
    parts = []
    for name, command, arguments in program.commands():
        own = [each for each in arguments if not takes_settings(name) or each["abstract"] not in shared]
        parts.append(f"### {code(name)}\n\n{command['abstract']}")
        if own:
            parts.append(table(["argument", "meaning"], [[code(written(each)), with_default(each)] for each in own]))
    return "\n\n".join(parts)


def dialects(program):
    titles = {}
    for file in sorted((sources / "Core/Payloads/Dialects").glob("*.swift")):
        titles |= dict(re.findall(r'name: "([^"]*)",\s*title: "([^"]*)"', file.read_text()))
    rows = {}
    for name, path, profile, source in program.dialects:
        row = rows.setdefault(name, [code(name), titles.get(name, ""), [], source])
        row[2].append(code(path) + (f" ({profile})" if profile != "-" else ""))
    return table(
        ["dialect", "service", "path of the URL (profile)", "source of the rule"],
        [[name, title, "<br>".join(paths), source] for name, title, paths, source in rows.values()],
    )


def fields(program):
    """The fields beside the URL, by their use. Their sources are those of their dialects."""
    rows = {}
    for name, field, use, _ in program.fields:
        rows.setdefault(use, {}).setdefault(name, []).append(code(field))
    return table(["use", "dialect: field"], [
        [use, "<br>".join(f"{code(name)}: {', '.join(dict.fromkeys(found))}" for name, found in dialects.items())]
        for use, dialects in rows.items()
    ])


def profiles(program):
    names = list(dict.fromkeys(row[0] for row in program.profiles))
    rules = {}
    for name, rule, value in program.profiles:
        rules.setdefault(rule, {})[name] = value
    # A kind of attachment that a profile does not have is listed under its own name, as false.
    kinds = {rule for rule in rules if "." not in rule and any(other.startswith(rule + ".") for other in rules)}

    def value(rule, name):
        found = rules[rule].get(name)
        return found if found is not None else rules.get(rule.split(".")[0], {}).get(name, "-")

    rows = [[code(rule)] + [value(rule, name) for name in names] for rule in rules if rule not in kinds]
    return table(["rule"] + [code(name) for name in names], rows)


def metrics(_):
    rows = []
    for file in sorted(sources.rglob("*.swift")):
        for kind, name, meaning in re.findall(
                r'\b(Counter|Gauge|Histogram)\(\s*"((?:attachd|process)_\w+)",\s*"((?:[^"\\]|\\.)*)"', file.read_text()):
            if (kind == "Counter") != name.endswith("_total"):
                raise SystemExit(f"docs: {file}: {name} must end in _total if it is a counter, and only then")
            rows.append([code(name) + (" (histogram)" if kind == "Histogram" else ""), meaning.replace("\\", "")])
    return table(["metric", "meaning"], sorted(rows))


def events(_):
    """The types of events, with the recorders that receive them."""
    receivers, declared = {}, {}
    package = pathlib.Path("Package.swift").read_text()
    for file in sorted(sources.rglob("*.swift")):
        text = file.read_text()
        for name in re.findall(r"^package (?:enum|struct) (\w+): ", text, re.MULTILINE):
            declared[name] = file
        for name, event in re.findall(
                r"(?:struct|class) (\w+): (?:Base\.)?EventRecorder\b(?:(?!\n}).)*?func record\(_ \w+: (\w+)\)", text, re.DOTALL):
            if event != "Event":
                receivers.setdefault(event, []).append(name)

    def module(event):
        return declared[event].parts[2]

    def ending(names, *words):
        return " ".join(code(name) for name in sorted(names) if name.endswith(words))

    rows = []
    for event, names in sorted(receivers.items(), key=lambda each: package.index(f'"{module(each[0])}"')):
        rows.append([code(module(event)), f"[{code(event)}](../{declared[event]})", ending(names, "Observer", "Log"),
                     ending(names, "Cost")])
    return table(["module", "its events", "metrics, log and spans", "cost of jobs"], rows)


def states(_):
    """The states of an attachment's work, with what they mean."""
    text = (sources / "Pipeline/Processing/Attachments/AttachmentWork.swift").read_text()
    enum = re.search(r"enum State: .*?\n    }", text, re.DOTALL)[0]
    rows = re.findall(r"((?: +/// .*\n)+) +case (\w+)", enum)
    return table(["state", "meaning"], [[code(name), re.sub(r"\s*/// ", " ", text).strip()] for text, name in rows])


parts = {
    "states": states,
    "events": events, "dialects": dialects, "fields": fields, "profiles": profiles, "options": options, "commands": commands, "metrics": metrics,
}
