"""sisters ATTACHD WORKDIR [--json FILE]: sources of one scene in every container of clips, each with another defect of its times,
and what `attachd batch` makes of them, compared by decoded frames and sound with their times of presentation.

Each frame shows its number in black and white blocks, and the sound is a tone that rises, so that its pitch tells the time. Prints
a table and counts; ends with status 1 if something is wrong and called complete. Writes to WORKDIR only."""
import argparse, functools, hashlib, json, pathlib, re, shutil, struct, subprocess, sys, time  # noqa: E401

import numpy

RATE, SOUND_RATE, SECONDS, LIMIT = 25, 48_000, 16, 10
SIZE, OTHER_SIZE = "176x144", "352x288"
# Hertz at the start, by how much the tone rises in a second, and after how many seconds it begins again: by no shift that a sister
# could have. The distance of the places that are listened to.
PITCH, RISE, AGAIN, HOP = 500, 1200, 4.3, 0.02
# What a viewer does not see or hear, in seconds; for how long sound may be lost or off, in all, as beside a join; how far times may be from the clip's end.
CLOSE, JOIN, EDGE = 0.06, 0.3, 0.02
# Blocks of the number's bits, and of three bits that check it.
ROWS, COLUMNS = 3, 4
SMALL = "profiles: {small: {basedOn: apns, video: {longEdge: 128}}}\n"
H264, AAC, B = "-c:v libx264 -preset veryfast -pix_fmt yuv420p -crf 18 -sc_threshold 0", "-c:a aac -b:a 128k", " -bf 2"
VPX, MPEG4 = "-deadline realtime -cpu-used 8 -lag-in-frames 0 -b:v 1M -pix_fmt yuv420p", "-q:v 3 -sc_threshold 1000000000"
# Container, pictures, sound, what makes B-frames of them, and samples in a packet of sound.
KINDS = {
    "mp4": ("-f mp4", H264, AAC, B, 1024), "mp4-faststart": ("-f mp4 -movflags +faststart", H264, AAC, B, 1024),
    "mp4-fragments": ("-f mp4 -movflags +frag_keyframe+empty_moov+default_base_moof+delay_moov", H264, AAC, B, 1024),
    "mov": ("-f mov", H264, AAC, B, 1024), "mkv": ("-f matroska", H264, AAC, B, 1024), "ts": ("-f mpegts", H264, AAC, B, 1024),
    "webm-vp9": ("-f webm", "-c:v libvpx-vp9 " + VPX, "-c:a libopus", "", 960), "webm-vp8": ("-f webm", "-c:v libvpx " + VPX, "-c:a libopus", "", 960),
    "mpg": ("-f mpeg", "-c:v mpeg2video " + MPEG4, "-c:a mp2", B, 1152), "avi": ("-f avi", "-c:v mpeg4 " + MPEG4, "-c:a libmp3lame", B, 1152),
    "3gp": ("-f 3gp", "-c:v h263 -q:v 3", AAC, "", 1024),
}
COPYABLE = [kind for kind, form in KINDS.items() if form[1] == H264]
MOVIES, MPEG = ("mp4", "mp4-faststart", "mov", "3gp"), ("ts", "mpg")
# Sisters whose sources lack something themselves, so that `degraded` is right even if the output has all that is left.
LACKING = ("cut", "cut-head", "late-key", "late-key-mute", "overlap")

def ffmpeg(*arguments):
    """Runs ffmpeg with paths and texts of several arguments."""
    words = [word for a in arguments for word in ([str(a)] if isinstance(a, pathlib.Path) else a.split())]
    done = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *words], capture_output=True, text=True)
    if done.returncode:
        raise ValueError(f"ffmpeg: {(done.stderr.strip().splitlines() or ['failed'])[-1]}")

def make_master(place):
    """The scene, without loss."""
    width, height = map(int, SIZE.split("x"))
    numbers, at = numpy.arange(SECONDS * RATE), numpy.arange(SECONDS * SOUND_RATE) / SOUND_RATE % AGAIN
    bits = (numbers * 8 + 7 - numbers % 7)[:, None] >> numpy.arange(ROWS * COLUMNS) & 1
    blocks = (bits.reshape(-1, ROWS, COLUMNS) * 219 + 16).astype("u1").repeat(height // ROWS, axis=1).repeat(width // COLUMNS, axis=2)
    pixels, sound = place.with_name("pixels"), place.with_name("sound")
    pixels.write_bytes(blocks.tobytes())
    sound.write_bytes((0.4 * numpy.sin(2 * numpy.pi * (PITCH + RISE / 2 * at) * at)).astype("<f4").tobytes())
    ffmpeg(f"-f rawvideo -pix_fmt gray -s {SIZE} -r {RATE} -i", pixels, f"-f f32le -ar {SOUND_RATE} -ac 1 -i", sound,
           "-c:v rawvideo -pix_fmt yuv420p -c:a pcm_s16le", place)

# MARK: Sisters

def encode(kind, to, video=(0, 6), sound=(0, 6), late=(0, 0), more="", gop="-g 25", container=None):
    """Writes a source with the scene's pictures and sound of these seconds, each `late`; no sound without seconds."""
    form, pictures, samples, with_b, _ = KINDS[kind]
    parts = [f"-vf trim={video[0]}:{video[1]},setpts=PTS-STARTPTS+{late[0]}/TB", "-map 0:v"]
    parts += [f"-af atrim={sound[0]}:{sound[1]},asetpts=PTS-STARTPTS+{late[1]}/TB", "-map 0:a", samples] if sound else ["-an"]
    ffmpeg("-i", to.parent.parent / "master.nut", *parts, "-threads 1 -fps_mode passthrough", pictures, with_b, gop, more, container or form, to)

def halves(kind, to, start, more=""):
    """Two files: three seconds of the scene, and the next three, stamped from `start` seconds on. Each has its own parameters."""
    form = KINDS[kind][0] + {"mp4-fragments": "+frag_discont", "mkv": " -live 1", "webm": " -live 1"}.get(re.sub("-vp.", "", kind), "")
    inband, clock = " -bsf:v dump_extra" if kind in COPYABLE else "", 0 if kind in MOVIES + ("avi", "mp4-fragments") else 1
    for half, seconds, at, own in (("first", (0, 3), clock, ""), ("second", (3, 6), start + clock, more)):
        encode(kind, to.with_name(f"{half}-{to.name}"), seconds, seconds, container=form, more=f"-output_ts_offset {at}{inband} {own}")
        yield to.with_name(f"{half}-{to.name}")

def joined(kind, to, start, more=""):
    """The second half behind the first one in the same container: its packets, fragments or clusters."""
    if kind in MOVIES + ("avi",):
        raise ValueError("the container has durations, which cannot go back")
    if start == 0 and kind not in MPEG:
        raise ValueError("two pictures for each time")
    first, second = (half.read_bytes() for half in halves(kind, to, start, more))
    to.write_bytes(first + second[0 if kind in MPEG else second.index(b"moof") - 4 if kind == "mp4-fragments" else second.index(b"\x1f\x43\xb6\x75"):])

def resized(kind, to):
    """The pictures change their size after three seconds."""
    if kind not in MOVIES + ("avi",):
        return joined(kind, to, 3, f"-s {OTHER_SIZE}")
    names = to.with_name("names")
    names.write_text("ffconcat version 1.0\n" + "".join(f"file {half.name}\n" for half in halves(kind, to, 0, f"-s {OTHER_SIZE}")))
    ffmpeg("-f concat -safe 0 -i", names, "-map 0 -c copy", KINDS[kind][0], to)

def gap(kind, to, parts):
    """The packets of a second and a half are left out, up to a key frame; the rest keeps its times."""
    of_sound = [round(at * SOUND_RATE / KINDS[kind][4]) for at in (2, 3.52)]
    drops = {"v": "-bsf:v noise=drop=gte(n\\,50)*lt(n\\,88) ", "a": "-bsf:a noise=drop=gte(n\\,{})*lt(n\\,{}) ".format(*of_sound)}
    # Frames before a forced key frame may need it, but not those of x264.
    no_b = "-bf 0 " if KINDS[kind][3] and kind not in COPYABLE else ""
    encode(kind, to, more=no_b + "".join(drops[part] for part in parts) + "-force_key_frames 2,3.52")

def reordered(kind, to, is_open):
    """The limit lies between frames that are decoded in another order; frames before an open key frame need the one before."""
    if not KINDS[kind][3]:
        raise ValueError("the codec has no B-frames")
    x264 = "-x264-params bframes=3:b-adapt=0:scenecut=0:" + ("open-gop=1:keyint=126" if is_open else "keyint=48")
    more, gop = (x264, "-g 126") if kind in COPYABLE else ("" if is_open else "-flags +cgop", "-g 12")
    encode(kind, to, (0, 13), (0, 13), more=more, gop=gop)

def part_of_bytes(kind, to, start, end):
    """A part of the bytes of a whole source; from the start of a packet or a pack on."""
    if start and kind not in MPEG:
        raise ValueError("the container begins with a header")
    encode(kind, to)
    blob, unit = to.read_bytes(), {"ts": 188, "mpg": 2048}.get(kind, 1)
    to.write_bytes(blob[int(len(blob) * start) // unit * unit:int(len(blob) * end)])

def edited(kind, to, *parts):
    """A movie of which the edit list shows only these seconds, one part after the other."""
    if kind not in MOVIES:
        raise ValueError("edit lists of fragments only tell a start" if kind == "mp4-fragments" else "no edit lists")
    # A late start makes room for a second edit.
    encode(kind, to, late=(1, 1) if len(parts) == 2 else (0, 0))
    blob, duration = bytearray(to.read_bytes()), struct.pack(">I", int(sum(end - start for start, end in parts) * 1000))
    place = blob.rindex(b"mvhd")
    blob[place + 20:place + 24] = duration
    for _ in "va":
        track = blob.index(b"tkhd", place)
        edits, place = blob.index(b"elst", track) + 12, blob.index(b"mdhd", track)
        units, first = (int.from_bytes(blob[at:at + 4], "big") for at in (place + 16, edits + 12 * len(parts) - 8))
        for number, (start, end) in enumerate(parts):
            blob[edits + 12 * number:edits + 12 * number + 8] = struct.pack(">II", int((end - start) * 1000), first + int(start * units))
        blob[track + 24:track + 28] = duration
    to.write_bytes(blob)

def edited_start(kind, to):
    """A copy from the middle between two key frames: an edit list hides the frames before."""
    if kind not in MOVIES + ("mp4-fragments",):
        raise ValueError("no edit lists")
    whole = to.with_name(f"whole-{to.name}")
    encode(kind, whole, container="-f mp4" if kind == "mp4-fragments" else None)
    ffmpeg("-ss 1.3 -i", whole, "-map 0 -c copy", KINDS[kind][0], to)

plain = functools.partial(functools.partial, encode)

def also(function, *arguments):
    return lambda kind, to: function(kind, to, *arguments)

SISTERS = {
    "plain": plain(), "late": plain(more="-output_ts_offset 5"), "sound-late": plain(late=(0, 1)), "video-late": plain(late=(1, 0)),
    "gap": also(gap, "va"), "gap-video": also(gap, "v"), "gap-sound": also(gap, "a"), "overlap": also(joined, 2), "restart": also(joined, 0),
    "resized": resized, "edit-start": edited_start, "edit-end": also(edited, (0, 3)), "edit-middle": also(edited, (0, 2), (3.48, 6)),
    "late-key": plain(more="-bsf:v noise=drop=lt(n\\,10)"), "late-key-mute": plain(sound=None, more="-bsf:v noise=drop=lt(n\\,10)"),
    "one-frame": plain(video=(0, 0.04), sound=(0, 2)), "one-frame-mute": plain(video=(0, 0.04), sound=None),
    "sound-longer": plain(video=(0, 4)), "video-longer": plain(sound=(0, 4)), "b-cut": also(reordered, False), "b-cut-open": also(reordered, True),
    "cut": also(part_of_bytes, 0, 0.6), "cut-head": also(part_of_bytes, 0.2, 1),
}

# MARK: Reading

def decode(path):
    """What ffmpeg shows of a file: times and numbers of its frames, pieces of sound with their times, and when it begins and ends."""
    pixels, samples = path.parent.parent / "read.pixels", path.parent.parent / "read.sound"
    pixels.write_bytes(b""), samples.write_bytes(b"")
    shows = "packet=pts_time,duration_time,flags,codec_type:stream=codec_type:format=duration"
    probe = ["ffprobe", "-v", "error", "-show_entries", shows, "-of", "json", path]
    found = json.loads(subprocess.run(probe, capture_output=True, text=True).stdout or "{}")
    parts = {stream["codec_type"] for stream in found.get("streams", [])}
    command = ["ffmpeg", "-hide_banner", "-nostdin", "-y", "-copyts", "-threads", "1", "-i", path]
    if "video" in parts:
        command += ["-map", "0:v:0", "-fps_mode", "passthrough", "-vf", f"scale={COLUMNS * 12}:{ROWS * 12}:flags=area,format=gray,showinfo=checksum=0"]
        command += ["-f", "rawvideo", pixels]
    if "audio" in parts:
        command += ["-map", "0:a:0", "-af", "aformat=sample_fmts=flt:channel_layouts=mono,ashowinfo", "-f", "f32le", samples]
    log = subprocess.run(command, capture_output=True, text=True, errors="replace").stderr
    raw = numpy.frombuffer(pixels.read_bytes(), "u1").reshape(-1, ROWS, 12, COLUMNS, 12)[:, :, 3:9, :, 3:9].mean(axis=(2, 4))
    times = [float(at) for at in re.findall(r"_showinfo_\d+ @ .*? pts_time:(\S+)", log)]
    frames = [(at, number_in(blocks)) for at, blocks in zip(times, raw.reshape(-1, ROWS * COLUMNS))]
    pieces = re.findall(r"_ashowinfo_\d+ @ .*? pts:(-?\d+) .*? rate:(\d+) nb_samples:(\d+)", log)
    ends, heard = numpy.cumsum([0] + [int(count) for _, _, count in pieces]), numpy.frombuffer(samples.read_bytes(), "<f4")
    pieces = [(int(at) / int(rate), int(rate), heard[a:b]) for (at, rate, _), a, b in zip(pieces, ends, ends[1:])]
    packets = [(float(p["pts_time"]), float(p.get("duration_time", 0)), p["codec_type"]) for p in found.get("packets", []) if "pts_time" in p and "D" not in p["flags"]]
    begin = min([at for at, *_ in packets + frames[:1] + pieces[:1]], default=0)
    end = max([at + lasts for at, lasts, part in packets if part == "video"] + [at + 1 / RATE for at, _ in frames], default=0)
    return frames, pieces, begin, end, float(found.get("format", {}).get("duration", 0))

def number_in(blocks):
    """The number that a frame shows; None if a decoder had to guess."""
    value = int(((blocks > 128) << numpy.arange(ROWS * COLUMNS)).sum())
    is_clear = not ((blocks > 80) & (blocks < 176)).any()
    return value >> 3 if is_clear and value & 7 == 7 - (value >> 3) % 7 else None

@functools.cache
def source_of(path):
    """What a source shows from its first moment on. Where the clock of an MPEG stream jumps back, the second part goes on."""
    frames, pieces, begin, end, _ = decode(path)
    is_mpeg, times = path.suffix in (".ts", ".mpg"), [at for at, _ in frames]
    jump = next((n for n in range(1, len(times)) if times[n] < times[n - 1] - 0.5), None)
    if jump and is_mpeg:
        begin, add = times[0], times[jump - 1] + 1 / RATE - times[jump]
        sound = next((n for n in range(1, len(pieces)) if pieces[n][0] < pieces[n - 1][0] - 0.5), len(pieces))
        frames = frames[:jump] + [(at + add, number) for at, number in frames[jump:]]
        begin, end, pieces = min(begin, pieces[0][0]), frames[-1][0] + 1 / RATE, pieces[:sound] + [(at + add, *rest) for at, *rest in pieces[sound:]]
    # Times before zero are hidden, but not on the clock of an MPEG stream.
    begin = begin if is_mpeg else max(0, begin)
    return [(at - begin, n) for at, n in frames], [(at - begin, *rest) for at, *rest in pieces], end - begin

def heard_in(pieces, first_wins=False):
    """The time of the scene that is heard at each hop, NaN where there is silence, and whether the tone goes on evenly there."""
    hops, rate = int((LIMIT + 1) / HOP), pieces[0][1] if pieces else SOUND_RATE
    width, bins, due, reach = int(2 * HOP * rate), 8192, 0, 0
    line = numpy.zeros(int((LIMIT + 2) * rate))
    for at, _, part in pieces:
        # Containers round times to milliseconds, which players don't follow.
        due = due if abs(at * rate + width / 2 - due) < 0.005 * rate else round(at * rate) + width // 2
        start = max(0, due, reach if first_wins else 0)
        line[start:max(start, due + part.size)] = part[max(0, start - due):][:max(0, line.size - start)]
        due, reach = due + part.size, max(reach, due + part.size)
    windows = numpy.stack([line[int(n * HOP * rate):][:width] for n in range(hops)])
    power = numpy.log(numpy.abs(numpy.fft.rfft(windows * numpy.hanning(width), bins)) + 1e-9)
    top = numpy.clip(power.argmax(axis=1), 1, power.shape[1] - 2)
    a, b, c = (power[numpy.arange(hops), top + n] for n in (-1, 0, 1))
    told = ((top + 0.5 * (a - c) / numpy.minimum(a - 2 * b + c, -1e-9)) * rate / bins - PITCH) / RISE
    told[numpy.sqrt((windows ** 2).mean(axis=1)) < 0.03] = numpy.nan
    even = numpy.abs(apart(numpy.diff(told), HOP)) < 0.02
    return told, numpy.concatenate([[False], even]) & numpy.concatenate([even, [False]])

def apart(one, other):
    """The time from one place of the scene to another, of which the tone only tells where between two beginnings it is."""
    return (one - other + AGAIN / 2) % AGAIN - AGAIN / 2

# MARK: Comparison

def compare(source, output):
    """The differences of an output from its source, both from the first moment on."""
    (frames, pieces, end), (made, made_pieces, _, made_end, duration) = source, output
    inside = [(at, n) for at, n in frames if n is not None and -0.001 <= at < LIMIT - 0.001]
    wanted, times = ({n: at for at, n in reversed(shown) if n is not None} for shown in (frames, made))
    damaged, mine_damaged = (sum(n is None for _, n in shown) for shown in (frames, made))
    row = {"frames": len(inside), "made": len(made), "unreadable": max(0, mine_damaged - damaged)}
    lost = [(at, n) for at, n in inside if n not in times and at < LIMIT - EDGE]
    if any(later < at - 0.5 for (at, _), (later, _) in zip(frames, frames[1:])):
        # Of two pictures for one time, either may be shown.
        lost = [(at, n) for at, n in lost if not any(abs(at - t) < 0.021 and m in times for t, m in inside if m != n)]
    row["missing"] = len(lost)
    row["extra"] = sum(n is not None and (n not in wanted or wanted[n] > LIMIT + EDGE) for _, n in made)
    row["repeated"] = max(0, len(made) - mine_damaged - len(times) - (len(frames) - damaged - len(wanted)))
    shifts = [at - min((t for t, m in frames if m == n), key=lambda t: abs(t - at)) for at, n in made if n in wanted]
    # A picture that begins after the sound may be shown from the start.
    is_early = bool(inside and inside[0][0] > CLOSE and shifts and shifts[0] < -CLOSE)
    row["shift"], row["early"] = max((abs(shift) for shift in shifts[is_early:]), default=0), -shifts[0] if is_early else 0
    usual = dict(held(frames, end))
    longer = [hold - usual.get(n, 0) for n, hold in held(made, min(made_end, duration))[is_early:] if n is not None]
    row["frozen"] = sum(more for more in longer if more > CLOSE)
    # Of two sounds for one time, too, either may be heard.
    (told, even), (first, evenly_first), (mine, evenly) = heard_in(pieces), heard_in(pieces, True), heard_in(made_pieces)
    for values, none in ((told, numpy.nan), (first, numpy.nan), (even, False), (evenly_first, False)):
        values[int(LIMIT / HOP):] = none
    shifts = [numpy.where(steady, abs(apart(heard, mine)), numpy.nan) for heard, steady in ((told, even), (first, evenly_first))]
    # The shift of all but the worst moments: close to a join, attachd takes a small one for jitter.
    row["sound_shift"] = float(numpy.sort(numpy.append(numpy.zeros(round(JOIN / HOP) + 1), numpy.nan_to_num(numpy.fmin(*shifts)[evenly])))[-round(JOIN / HOP) - 1])
    row["sound"], row["sound_made"] = (float((~numpy.isnan(heard)).sum() * HOP) for heard in (told, mine))
    row["sound_missing"], row["sound_extra"] = (float(hops.sum() * HOP) for hops in (even & ~evenly, evenly & numpy.isnan(told)))
    return row

def foreign_parameters(blob):
    """The number of H.264 parameters between the pictures that the header of an MP4 does not have. Phones read only the header's."""
    header = blob.find(b"avcC") + 10
    own = blob[header + 2:header + 2 + int.from_bytes(blob[header:header + 2], "big")]
    return len({blob[unit.end() - 2:unit.end() - 2 + unit[1][0]] for unit in re.finditer(rb"\0\0\0(.)\x67[\x42\x4d\x64]", blob, re.S)} - {own})

def held(shown, end):
    """For how long each picture is shown."""
    shown = sorted(shown, key=lambda frame: frame[0])
    return [(n, max(0, later - at)) for (at, n), later in zip(shown, [at for at, _ in shown[1:]] + [min(LIMIT, end)])]

def problems(row):
    """What is wrong, in words."""
    told = [f"{row[name]} frames {name}" for name in ("missing", "extra", "repeated", "unreadable") if row[name]]
    told += [f"{name} {row[key] * 1000:.0f} ms off" for name, key in (("pictures", "shift"), ("sound", "sound_shift")) if row[key] > CLOSE]
    told += ["pictures of another size than the header's"] if row["foreign"] else []
    told += [f"frozen for {row['frozen']:.2f} s"] if row["frozen"] > CLOSE else []
    return told + [f"{row[name]:.2f} s of {name.replace('_', ' ')}" for name in ("sound_missing", "sound_extra") if row[name] > JOIN]

def judge(kind, sister, source, entry, output):
    """A row of the table."""
    reasons, rungs = "; ".join(sorted({error["reason"] for error in entry["errors"]})), [made["rung"] for made in entry["attachments"]]
    row = {"container": kind, "sister": sister, "outcome": entry["outcome"] + (f" ({reasons})" if reasons else ""), "rung": (rungs or ["-"])[0]}
    if not output:
        return row | {"verdict": f"refused: {reasons}"}
    if output.suffix == ".mp4":
        row |= compare(source, decode(output)) | {"foreign": foreign_parameters(output.read_bytes())}
    wrong = problems(row) if "made" in row else [f"only a {output.suffix[1:]}"] if len(source[0]) > 1 or source[1] else []
    # A program stream and a transport stream don't say how long they are.
    wrong += ["the source is cut, and says so"] if sister == "cut" and kind not in MPEG and entry["outcome"] == "complete" else []
    said = ", ".join(wrong) or ("nothing is missing" if entry["outcome"] != "complete" and sister not in LACKING else "")
    if entry["outcome"] != "complete":
        return row | {"verdict": f"degraded: {reasons}" + (f" [{said}]" if said else "")}
    return row | {"verdict": f"WRONG complete: {said}" if said else "right"}

# MARK: The run

def make_sources(folder):
    """Makes every source, unless this script has made them already. Returns why some could not be made."""
    stamp, unable = folder.with_name("sources.json"), {}
    version = hashlib.sha256(pathlib.Path(__file__).read_bytes().split(b"# MARK: Reading")[0]).hexdigest()
    if stamp.exists() and (found := json.loads(stamp.read_text()))["version"] == version:
        return found["unable"]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    make_master(folder.with_name("master.nut"))
    for kind, sister in ((kind, sister) for kind in KINDS for sister in SISTERS):
        try:
            SISTERS[sister](kind, folder / f"{kind}.{sister}.{kind.partition('-')[0]}")
        except ValueError as error:
            unable[f"{kind} {sister}"] = str(error)
            (folder / f"{kind}.{sister}.{kind.partition('-')[0]}").unlink(missing_ok=True)
    for rest in (path for part in ("first-*", "second-*", "whole-*", "names") for path in folder.glob(part)):
        rest.unlink()
    stamp.write_text(json.dumps({"version": version, "unable": unable}))
    return unable

def batch(program, work, profile):
    """What attachd makes of the sources with a profile: lines of the manifest by name. The small one makes it encode pictures again."""
    out, settings = work / profile, work / "settings.yaml"
    shutil.rmtree(out, ignore_errors=True)
    settings.write_text(SMALL)
    only = [word for kind in COPYABLE for word in ("--include", f"{kind}.*")] if profile == "small" else []
    subprocess.run([program, "batch", work / "sources", "--out", out, "--store", work / "store", "--config", settings, "--profile", profile,
                    "--decoders", "1", "--reuse", "0", *only], check=True, capture_output=True)
    return {row["path"]: row for row in map(json.loads, (out / "manifest.jsonl").read_text().splitlines())}

def line(row):
    cells = [row["container"], row["sister"], row["outcome"], row["rung"]]
    if "made" in row:
        cells += [f"{row['frames']}, {row['made']}", f"{row['sound']:.2f}, {row['sound_made']:.2f}", f"{row['shift'] * 1000:.0f}",
                  f"{row['sound_shift'] * 1000:.0f}", str(row["missing"]), f"{row['extra']}, {row['repeated']}", f"{row['frozen']:.2f}, {row['early']:.2f}"]
    return "| " + " | ".join(cells + ["-"] * (11 - len(cells)) + [row["verdict"]]) + " |"

def main(program, work, report):
    start, rows, unable = time.monotonic(), [], make_sources(work / "sources")
    print("| container | sister | outcome | rung | frames: source, output | sound: source, output, s | pictures off, ms | sound off, ms | missing "
          "| extra, repeated | frozen, first held early, s | verdict |\n" + "|---" * 12 + "|")
    for profile in ("apns", "small"):
        for name, entry in sorted(batch(program, work, profile).items()):
            output = work / profile / entry["output"] if entry["output"] else None
            rows.append(judge(*name.split(".")[:2], source_of(work / "sources" / name), entry, output) | {"profile": profile})
            print(line(rows[-1]), flush=True)
    print("\n".join(f"not made: {name}: {reason}" for name, reason in unable.items()))
    counts = [sum(row["verdict"].startswith(word) for row in rows) for word in ("right", "degraded", "refused", "WRONG")]
    if report:
        pathlib.Path(report).write_text(json.dumps({"rows": rows, "unable": unable, "counts": counts}, indent=1))
    print(f"{time.monotonic() - start:.0f} s", file=sys.stderr)
    print("{} right, {} degraded with a reason, {} refused, {} wrong and complete".format(*counts))
    return 1 if counts[3] else 0

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("attachd"), parser.add_argument("workdir"), parser.add_argument("--json")
    given = parser.parse_args()
    sys.exit(main(given.attachd, pathlib.Path(given.workdir).resolve(), given.json))
