"""Breaks the product's sources on purpose in a copy, and counts the simulated runs until one of them breaks a rule.

breaks.py write FOLDER         writes all breaks into the copy of the repository in FOLDER; each is off until it is named
breaks.py try PROGRAM SEEDS    prints the table; fails if a break is not found in that many runs

The copy is built once: the environment variable BREAK says which one is on.
"""

import os
import pathlib
import re
import subprocess
import sys

worker = "Sources/Queue/Jobs/Worker/WorkerState.swift"
service = "Sources/Queue/Jobs/Worker/WorkerService.swift"
callbacks = "Sources/Queue/Jobs/Worker/CallbackDelivery.swift"
clock = "Sources/Queue/Jobs/LeasedJob.swift"
cache = "Sources/Pipeline/Processing/Attachments/AttachmentCache.swift"
fleet = "Sources/Queue/Jobs/FleetKnowledge.swift"
json = "Sources/Core/Payloads/JSON/JSONValue.swift"
origins = "Sources/Stages/HTTPClient/Origins/OriginTable.swift"
breaker = "Sources/Core/Base/Timing/CircuitBreaker.swift"
turns = "Sources/Core/Base/Timing/TenantTurns.swift"
wakeup = "Sources/Core/Base/Concurrency/WakeUp.swift"
schedule = "Sources/Stages/Decoding/Pool/DecoderSchedule.swift"
pool = "Sources/Stages/Decoding/Pool/DecoderPool.swift"

# The name, what it does, the file, its text, and the text in its place, in which IS_ON is whether the break is on.
breaks = [
    ("beginsTooMany", "A worker begins one job more than it has slots.", worker,
     "!isAlone, slotsTaken < limits.slots, window", "!isAlone, slotsTaken < limits.slots + (IS_ON ? 1 : 0), window"),
    ("drainForgets", "A worker that stops gives all its waiting jobs back but the first.", worker,
     "let unstarted = waiting.leases\n", "let unstarted = IS_ON ? Array(waiting.leases.dropFirst()) : waiting.leases\n"),
    ("looksAtLast", "A worker wakes for the last of its jobs that are due, and not for the first.", worker,
     "working.values.min()]", "IS_ON ? working.values.max() : working.values.min()]"),
    ("strictDeadline", "A job is due after its time, not at it (`<` for `<=`).", worker,
     "in working where time <= now", "in working where IS_ON ? time < now : time <= now"),
    ("keepsSlot", "A job whose lease is lost keeps its slot.", worker,
     "if working.removeValue(forKey: lease) != nil,",
     "if (IS_ON && phase == nil ? working[lease] : working.removeValue(forKey: lease)) != nil,"),
    ("staysAlone", "After a job that ran alone, no other begins.", worker,
     "working.isEmpty { isAlone = false }", "working.isEmpty { isAlone = isAlone && IS_ON }"),
    ("renewsOne", "Of all leases, one is renewed.", service,
     "let leases = state.withLock(\\.worker.leases)\n",
     "let leases = Array(state.withLock(\\.worker.leases).prefix(IS_ON ? 1 : .max))\n"),
    ("stopsRenewing", "After the first lease that is lost, none is renewed.", service,
     "recorder.record(.lost(lost.count))\n        perform {",
     "recorder.record(.lost(lost.count))\n        if IS_ON { Break.happened.store(true, ordering: .relaxed) }\n        perform {"),
    ("stopsRenewing", "", service,
     "guard !leases.isEmpty, let refused",
     "guard !leases.isEmpty, !Break.happened.load(ordering: .relaxed), let refused"),
    ("repeatsCallback", "A callback that was received stays in the queue.", callbacks,
     "recorder.record(.callback(.received))\n            await recorder.answer {",
     "recorder.record(.callback(.received))\n            if !IS_ON { await recorder.answer {"),
    ("repeatsCallback", "", callbacks,
     "finishCallback(callback.lease) }\n        case .failed", "finishCallback(callback.lease) } }\n        case .failed"),
    ("trustsLateAnswer", "The time of arrival counts as that of the server's clock (the bug of seed 228).", clock,
     "let origin = min(max(", "let origin = IS_ON ? latest : min(max("),
    ("joinsAny", "A job joins any work under way, whatever its source.", cache,
     "if !isAlone, let runner = state.running[key]",
     "if !isAlone, let runner = state.running[key] ?? (IS_ON ? state.running.values.first : nil)"),
    ("joinsOther", "A job joins work on the same source for another profile.", cache,
     "if !isAlone, let runner = state.running[key]",
     "if !isAlone, let runner = state.running[key]"
     " ?? (IS_ON ? state.running.first(where: { $0.key.source == key.source })?.value : nil)"),
    ("rewritesNumber", "A number of the payload is written in another way.", json,
     "case .number(let text): bytes.append(contentsOf: text.utf8)",
     'case .number(let text): bytes.append(contentsOf: (IS_ON && text == "1.50" ? "1.5" : text).utf8)'),
    ("releasesTwice", "A request to an origin gives two permits back.", origins,
     "\n        inFlight += change\n", "\n        inFlight += change - (IS_ON && change < 0 ? 1 : 0)\n"),
    ("neverCloses", "A circuit breaker never closes again.", breaker,
     "rule.probes: close()", "rule.probes: if IS_ON { state = .halfOpen(successes: 0, isProbing: false) } else { close() }"),
    ("keepsProbe", "A probe that was cancelled is never replaced.", breaker,
     "case .unknown: state = .halfOpen(successes: successes, isProbing: false)",
     "case .unknown: state = .halfOpen(successes: successes, isProbing: IS_ON)"),
    ("ignoresTurns", "Urgency alone decides between tenants.", turns,
     "heads.filter { level(of: $0.key) < fewest + Self.lead }",
     "heads.filter { level(of: $0.key) < fewest + Self.lead || IS_ON }"),
    ("dropsWakeUp", "A call is lost if nobody waits for it yet.", wakeup,
     "takeWaiter { $0 = .called }", "takeWaiter { if !IS_ON { $0 = .called } }"),
    ("keepsMemory", "The memory of a decoder that ended stays taken.", schedule,
     "overdue[id] = nil\n        held[id] = nil", "overdue[id] = nil\n        if !IS_ON { held[id] = nil }"),
    ("waitsMutually", "Two decoders wait for each other's memory (the bug of seed 8).", schedule,
     "if !isSmall(claim.byteCount), first != nil {", "if !isSmall(claim.byteCount), first != nil || IS_ON {"),
    ("keepsProcess", "A decoder process that is over its deadline goes on.", pool,
     "        child.process.kill()\n", "        if !IS_ON { child.process.kill() }\n"),
    ("reusesBlindly", "A worker that is cut off uses what it made before.", cache,
     "let mayReuse = context.mayReuse()", "let mayReuse = context.mayReuse() || IS_ON"),
    ("reusesBlindly", "", fleet, "{ isCurrent($0) || $0.unrecorded[file]", "{ IS_ON || isCurrent($0) || $0.unrecorded[file]"),
    ("staysCurrent", "A worker believes in its lease for longer than the store does.", fleet,
     "state.leaseEnd = asked + Self.leaseTime", "state.leaseEnd = asked + Self.leaseTime * (IS_ON ? 3 : 1)"),
    ("answersEarly", "A deletion does not wait for the workers that are behind.", fleet,
     "guard behind > 0 else", "guard behind > 0, !IS_ON else"),
]

switch = """import Glibc
package import Synchronization

/// The break that is on.
package enum Break {
    private static let chosen = unsafe getenv("BREAK").map { unsafe String(cString: $0) }
    package static let happened = Atomic(false)

    package static func isOn(_ name: String) -> Bool { chosen == name }
}
"""


def write(folder):
    for name, _, path, text, broken in breaks:
        file = pathlib.Path(folder, path)
        source = file.read_text()
        if source.count(text) != 1:
            sys.exit(f"error: {path} has this text {source.count(text)} times, not once: {text}")
        source = source.replace(text, broken.replace("IS_ON", f'Break.isOn("{name}")'))
        if "/Base/" not in path and not re.search(r"^(package )?import Base$", source, re.MULTILINE):
            source = "import Base\n" + source
        if path == service and "\nimport Synchronization\n" not in "\n" + source:
            source = "import Synchronization\n" + source
        file.write_text(source)
    pathlib.Path(folder, "Sources/Core/Base/Values/Break.swift").write_text(switch)


def try_all(program, seeds):
    print("| break | seeds | rule that finds it |\n|---|---|---|", flush=True)
    missed = 0
    for name, meaning, *_ in [row for row in breaks if row[1]]:
        found = subprocess.run(
            [program, "--find", seeds], env={**os.environ, "BREAK": name}, capture_output=True, text=True, check=False
        )
        words = found.stdout.split()
        missed += found.returncode != 0
        result = f"{words[0]} | `{words[1]}`" if found.returncode == 0 else f"none of {seeds} | –"
        print(f"| {meaning} | {result} |", flush=True)
    sys.exit(1 if missed else 0)


write(sys.argv[2]) if sys.argv[1] == "write" else try_all(*sys.argv[2:])
