# shellcheck shell=bash
# Shared by the scripts: sourced, not run.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
# Where the scripts in Python find harness.py.
export PYTHONPATH=$root/Scripts PYTHONDONTWRITEBYTECODE=1
# Programs that scripts stop have no clients left.
export ATTACHD_DRAIN=0

say() { printf '\n==> %s\n' "$*" >&2; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# packages ROLE...: prints the Debian packages of those roles.
packages() {
    local role
    for role in "$@"; do awk -v role="$role" '$1 == role { print $2 }' Scripts/packages.txt; done | sort -u
}

# missing_packages ROLE...: prints the packages of those roles that are not installed.
missing_packages() {
    local package
    command -v dpkg-query >/dev/null || fail "this script installs Debian packages; elsewhere, install by hand: $(packages "$@" | tr '\n' ' ')"
    for package in $(packages "$@"); do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q '^install ok installed$' || echo "$package"
    done
}

# install ROLE...: installs the missing packages of those roles.
install() {
    local missing=() sudo=""
    # shellcheck disable=SC2207 # names of packages
    missing=($(missing_packages "$@"))
    [ ${#missing[@]} -eq 0 ] && return
    say "Installing ${#missing[@]} Debian packages (a few minutes): ${missing[*]}"
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "run as root, or install by hand: ${missing[*]}"
        sudo=sudo
    fi
    $sudo apt-get update -qq
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# Prints a clear message if Swift is missing or too old.
need_swift() {
    local wanted=6.3 found
    command -v swift >/dev/null || fail "Swift is not installed. Get a toolchain of version $wanted or later from https://www.swift.org/install/linux/ and put it on the PATH."
    found=$(swift --version 2>&1 | sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' | head -n 1) || true
    [ -n "$found" ] || fail "'swift --version' fails, so packages that the toolchain needs may be missing (https://www.swift.org/install/linux/): $(swift --version 2>&1 | head -n 1)"
    [ "$(printf '%s\n%s\n' "$wanted" "$found" | sort -V | head -n 1)" = "$wanted" ] || fail "Swift $found is too old; attachd needs $wanted or later: https://www.swift.org/install/linux/"
}

# quietly COMMAND [ARGUMENT...]: runs a command that runs swift, without swift's irrelevant notes on pkg-config flags.
quietly() {
    "$@" 2> >(grep -v 'prohibited flag\|unhandled; explicitly declare\|/CMakeLists.txt$\|^$' >&2)
}

quiet_swift() { quietly swift "$@"; }

# No debug data, which takes a fifth of the compiler's time. Functions keep their names. A plain `swift build` makes it, and
# builds everything again.
without_debug_data=(-debug-info-format none)

# debug_swift build|test [OPTION...]: runs swift on the debug build.
debug_swift() {
    quiet_swift "$1" "${without_debug_data[@]}" "${@:2}"
}

release_options=(-c release --static-swift-stdlib "${without_debug_data[@]}")

# Builds both programs for release, and sets `bin` to their folder.
build_release() {
    local product
    for product in attachd attachd-decoder; do quiet_swift build "${release_options[@]}" --product "$product" >&2; done
    # shellcheck disable=SC2034 # for whoever called
    bin=$(swift build "${release_options[@]}" --show-bin-path 2>/dev/null)
}

# install_and_build_ahead: installs what building and running need. Meanwhile it builds for release what needs no Debian
# package, and what the most waits for or what takes longest. What fails there is built, or reported, later. That build ends
# with the installation if it fails.
install_and_build_ahead() (
    absent=$(missing_packages build runtime)
    [ -n "$absent" ] || exit 0
    set -m  # The build gets a process group, and so ends whole.
    for target in Hummingbird CNIOBoringSSL; do
        swift build "${release_options[@]}" --target "$target"
    done >/dev/null 2>&1 &
    ahead=$!
    set +m
    trap 'kill -- "-$ahead" 2>/dev/null || true' EXIT
    install build runtime
    wait "$ahead" || true
)

# programs release|debug: sets `bin` to the folder of both programs: the one that ATTACHD_BIN names, or that of a build.
programs() {
    local product
    bin=$(readlink -m "${ATTACHD_BIN:-.}")
    if [ -z "${ATTACHD_BIN:-}" ]; then
        need_swift
        if [ "$1" = release ]; then install_and_build_ahead; else install build runtime; fi
        say "Building attachd and attachd-decoder for $1 (some minutes the first time)"
        if [ "$1" = release ]; then build_release; return; fi
        for product in attachd attachd-decoder; do debug_swift build --product "$product" >&2; done
        bin=$(swift build --show-bin-path 2>/dev/null)
    fi
    [ -x "$bin/attachd" ] || fail "there is no program at $bin/attachd"
}

# serve_media PORT: serves Samples/media on loopback until the script ends, by the test origin of attachd.
serve_media() {
    "$bin/attachd" origin Samples/media --listen "127.0.0.1:$1" >/dev/null &
    origin=$!
    trap 'kill $origin 2>/dev/null || true' EXIT
    for _ in $(seq 100); do
        curl -sf -o /dev/null "http://127.0.0.1:$1/photo.jpg" && return
        kill -0 "$origin" 2>/dev/null || fail "the local origin did not start: is port $1 taken?"
        sleep 0.1
    done
    fail "the local origin does not answer on port $1. Is another program using it?"
}

# debootstrap_bookworm FOLDER PACKAGE,...: makes a Debian 12 with this machine's sources, so that security updates are there.
debootstrap_bookworm() {
    local log sources=etc/apt/sources.list.d/debian.sources
    say "Making a Debian with debootstrap"
    log=$(debootstrap --variant=minbase --include="$2" bookworm "$1") || fail "$(tail -n 5 <<<"$log")"
    [ -f "/$sources" ] || return 0
    cp "/$sources" "$1/$sources"
    rm -f "$1/etc/apt/sources.list"
}

# Builds the programs and tests for debugging, and installs the tests' Python packages.
build_tests() {
    local tools
    say "Building everything for tests (some minutes the first time)"
    python_tools &
    tools=$!
    debug_swift build --build-tests
    wait "$tools"
}

# python_tools [FOLDER FILE]: creates Debian's Python with the packages of Scripts/requirements.txt in `.build/python`,
# or with those of another file in another folder, if it does not exist.
# shellcheck disable=SC2120 # other scripts give both
python_tools() {
    local folder=${1:-.build/python} file=${2:-Scripts/requirements.txt}
    # The packages of which only files are used, without their dependencies.
    local files=${file%.txt}-files.txt
    [ -f "$files" ] || files=/dev/null
    cat "$file" "$files" | cmp -s - "$folder/made-of.txt" && return
    say "Installing the Python packages of $file"
    /usr/bin/python3 -m venv --clear --system-site-packages "$folder"
    "$folder/bin/pip" install --quiet --disable-pip-version-check -r "$file"
    "$folder/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$files"
    cat "$file" "$files" >"$folder/made-of.txt"
}
