# shellcheck shell=bash
# Installs a release's Debian package in a new Debian with systemd, does a job through its service, and purges it. Sourced by
# Scripts/release.

# try_package BOX
try_package() {
    # shellcheck disable=SC2154 # Scripts/release sets `work`
    local box=$1 package debian=$work/debian
    [ "$(id -u)" -eq 0 ] || fail "this makes a Debian and boots it; run it as root"
    package=$(find "$box" -maxdepth 1 -name '*.deb')
    [ -f "$package" ] || fail "$box has no Debian package. Make one: Scripts/release $box"
    [ -d "$debian" ] || {
        debootstrap_bookworm "$debian.new" ca-certificates,curl,dbus,systemd,systemd-sysv
        mv "$debian.new" "$debian"
    }
    rm -rf "$debian/opt/attachd-try"
    mkdir -p "$debian/opt/attachd-try"
    cp "$package" "$debian/opt/attachd-try/attachd.deb"
    cp -r Samples/media Samples/payloads/photo.json "$debian/opt/attachd-try/"
    # The package's dependencies, so that what it leaves behind itself can be seen.
    say "Installing what the package needs"
    in_debian "apt-get update -qq && apt-get satisfy -y -qq --no-install-recommends '$(dpkg-deb -f "$package" Depends)' >/dev/null" ||
        fail "the dependencies cannot be installed"
    (
        boot "$debian"
        trap 'kill "$container" 2>/dev/null || true; wait "$container" 2>/dev/null || true' EXIT
        try_inside "$debian"
    )
}

# in_debian COMMAND: runs a command in the Debian, which is not booted, with this machine's network.
in_debian() {
    systemd-nspawn --quiet --register=no --keep-unit --pipe -D "$debian" \
        sh -c "export DEBIAN_FRONTEND=noninteractive; $1" 2> >(grep -v 'We can.t allow that\|we can.t allow that' >&2)
}

# boot FOLDER: boots it with a network of its own, and sets `container` and `init` to the processes.
boot() {
    say "Booting it"
    # Beside what systemd-nspawn allows, as on a machine without it: the system calls of Landlock.
    systemd-nspawn --quiet --register=no --keep-unit --boot --private-network -D "$1" --console=read-only \
        --system-call-filter="landlock_create_ruleset landlock_add_rule landlock_restrict_self" >"$work/boot.log" 2>&1 </dev/null &
    container=$!
    for _ in $(seq 300); do
        init=$(pgrep -P "$container" -n || true)
        [ -z "$init" ] || ! inside systemctl is-system-running 2>/dev/null | grep -q 'running\|degraded' || return 0
        kill -0 "$container" 2>/dev/null || break
        sleep 0.2
    done
    fail "the Debian does not boot: $(tail -n 5 "$work/boot.log")"
}

# inside COMMAND…: runs a command in the booted Debian.
inside() {
    nsenter --target "$init" --mount --uts --ipc --net --pid --root --wd \
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"
}

# files: the names of all files that last longer than the machine runs, and the lists of users and groups.
files() {
    inside sh -c "find / -xdev -path /opt/attachd-try -prune -o -path /var/log -prune -o -path /var/cache -prune -o -print" |
        grep -v '^/tmp/systemd-private-\|^/var/tmp/systemd-private-\|^/run/\|^/var/lib/dpkg/\|^/var/lib/systemd/\|^/var/lib/apt/' | sort
    inside sh -c "cat /etc/passwd /etc/group /etc/shadow" | sed 's/^/record: /'
}

# answers URL: waits until a URL in the Debian answers 200, for at most half a minute.
answers() {
    for _ in $(seq 150); do
        if inside curl -sf -o /dev/null "$1"; then return; fi
        sleep 0.2
    done
    fail "$1 does not answer: $(inside journalctl -u attachd -n 20 --no-pager -o cat)"
}

try_inside() {
    local before after answer
    before=$work/before
    files >"$before"
    say "dpkg --install"
    inside dpkg --install /opt/attachd-try/attachd.deb
    inside attachd --version
    inside dpkg --verify attachd || fail "the installed files are not those of the package"
    say "systemctl enable --now attachd, and a job"
    # The origin is on loopback, which is not allowed otherwise.
    inside sh -c "printf 'ATTACHD_ALLOW_ADDRESSES=127.0.0.1/32\nATTACHD_PUBLIC_URL=https://push.shop.example\n' >>/etc/attachd.env"
    inside systemd-run --quiet /usr/bin/attachd origin /opt/attachd-try/media --listen 127.0.0.1:8099
    inside systemctl enable --quiet --now attachd
    answers http://127.0.0.1:8080/readyz
    inside curl -s http://127.0.0.1:8080/metrics | grep '^attachd_build_info'
    inside sh -c "sed 's,http://[^/\"]*,http://127.0.0.1:8099,' /opt/attachd-try/photo.json >/opt/attachd-try/payload.json"
    answer=$(inside runuser -u attachd -- env ATTACHD_STORE=/var/lib/attachd attachd enqueue /opt/attachd-try/payload.json --wait)
    echo "$answer" | cut -c -400
    grep -q '"outcome":"complete"' <<<"$answer" || fail "the job's outcome is not complete: $answer"
    inside systemctl show attachd -p ActiveState -p User -p MainPID -p NRestarts
    inside systemd-analyze security attachd --no-pager | tail -n 1
    inside systemctl status attachd-work --no-pager -n 0 | sed -n 2,3p || true
    say "apt-get purge"
    inside apt-get purge -y -qq attachd
    if inside systemctl is-active --quiet attachd; then fail "the service still runs"; fi
    after=$work/after
    files >"$after"
    inside systemctl poweroff
    wait "$container"
    diff "$before" "$after" || fail "the package leaves files, or a user: see above"
    say "Installed, started, a job done, and purged: nothing is left ($(wc -l <"$after") files and records compared)"
}
