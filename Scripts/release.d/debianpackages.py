"""The Debian packages whose files are in the image, with versions, licenses and files."""

import collections
import hashlib
import pathlib
import re
import subprocess

# Debian's names of licenses that SPDX has under another name. What is in neither keeps its name.
SPDX = {
    "apache-2": "Apache-2.0", "artistic": "Artistic-1.0-Perl", "bsd-2-clause": "BSD-2-Clause", "bsd-3-clause": "BSD-3-Clause",
    "bsd-4-clause": "BSD-4-Clause", "bsd-4-clause-uc": "BSD-4-Clause-UC", "expat": "MIT", "mpl-2": "MPL-2.0",
    "gpl-1+": "GPL-1.0-or-later", "gpl-2": "GPL-2.0-only", "gpl-2+": "GPL-2.0-or-later", "gpl-2.0+": "GPL-2.0-or-later",
    "gpl-3": "GPL-3.0-only", "gpl-3+": "GPL-3.0-or-later", "gplv3+": "GPL-3.0-or-later", "lgpl-2": "LGPL-2.0-only",
    "lgpl-2+": "LGPL-2.0-or-later", "lgpl-2.0+": "LGPL-2.0-or-later", "lgpl-2.1": "LGPL-2.1-only",
    "lgpl-2.1+": "LGPL-2.1-or-later", "lgplv2.1+": "LGPL-2.1-or-later", "lgpl-3": "LGPL-3.0-only",
    "lgpl-3+": "LGPL-3.0-or-later", "zlib/libpng": "Zlib", "boost-1.0": "BSL-1.0",
}
# Licenses of packages whose copyright file is older than Debian's machine-readable form.
STATED = {"libc6": ["LGPL-2.1-or-later", "GPL-2.0-or-later"], "libc-bin": ["LGPL-2.1-or-later", "GPL-2.0-or-later"]}
KNOWN = {"ISC", "curl", "Zlib", "X11", "FSFULLR", "OLDAP-2.8", "Apache-2.0", "IJG", "FTL", "Unlicense", "WTFPL", "MPL-1.1",
         "MPL-2.0", "OpenSSL", "Beerware", "BSL-1.0", "0BSD", "CC0-1.0", *SPDX.values()}


class DebianPackage:
    def __init__(self, root, status):
        fields = dict(re.findall(r"^([A-Za-z-]+): (.*)$", status, re.MULTILINE))
        self.name, self.version, self.architecture = fields["Package"], fields["Version"], fields["Architecture"]
        self.source = fields.get("Source", self.name).split()[0]
        self.description = fields.get("Description", "")
        self.needs = set(re.findall(r"(?:^|[,|])\s*([a-z0-9][a-z0-9+.-]+)",
                                    ",".join(fields.get(name, "") for name in ("Depends", "Pre-Depends"))))
        self.copyright = (root / f"usr/share/doc/{self.name}/copyright").read_text(errors="replace")
        self.files = []

    def reference(self, distribution):
        name = self.name.replace("+", "%2B")
        version = self.version.replace("+", "%2B").replace(":", "%3A")
        return f"pkg:deb/debian/{name}@{version}?arch={self.architecture}&distro={distribution}"

    @property
    def licenses(self):
        """The licenses that the package's copyright file names: as SPDX does (`id`), or in its own words (`name`)."""
        if self.name in STATED:
            return [{"id": license} for license in STATED[self.name]]
        names = {name.strip() for name in re.findall(r"^License: *(\S.*)$", self.copyright, re.MULTILINE)}
        if not names:
            # An old copyright file names the files of Debian's common licenses.
            names = set(re.findall(r"/usr/share/common-licenses/([A-Za-z0-9.+-]*[A-Za-z0-9])", self.copyright))
        found = {SPDX.get(name.lower(), name) for name in names}
        if not found:
            return [{"name": f"see /usr/share/doc/{self.name}/copyright"}]
        return [{"id": name} if name in KNOWN else {"name": name} for name in sorted(found)]


def digest(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def owner(file):
    """The package that a library of this machine belongs to."""
    for name in (file, "/usr" + file, file.removeprefix("/usr")):
        found = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True).stdout
        if found:
            return found.split(":")[0]
    raise SystemExit(f"error: {file} belongs to no Debian package")


def packages(root):
    """The packages of the image in a folder, as Scripts/closure writes it."""
    found = {}
    for file in sorted((root / "var/lib/dpkg/status.d").iterdir()):
        package = DebianPackage(root, file.read_text())
        found[package.name] = package
    for file in sorted(root.glob("usr/lib*/**/*")):
        name = "/" + str(file.relative_to(root))
        if file.is_file() and not file.is_symlink():
            found[owner(name)].files.append((name, digest(file)))
    return list(found.values())


def needed(program):
    """The libraries that a program names itself."""
    lines = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", lines)


def loaded(program):
    """The paths of all libraries that a program loads, by their names."""
    lines = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    return dict(sorted(re.findall(r"^\s*(\S+) => (/\S+)", lines, re.MULTILINE)))


def owners(program):
    """The packages of the libraries that a program loads: those that it names itself, and the others."""
    paths, names = loaded(program), set(needed(program))
    by_kind = collections.defaultdict(set)
    for name, path in paths.items():
        by_kind["direct" if name in names else "others"].add(owner(str(pathlib.Path(path).resolve())))
    return by_kind["direct"], by_kind["others"] - by_kind["direct"]
