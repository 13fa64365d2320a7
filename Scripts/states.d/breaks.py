"""Deliberate breaks of the state machine of an attachment's work, each of which is on when the environment names it."""

import os
import pathlib
import subprocess
import sys
import time

work, outputs = "AttachmentWork.swift", "SharedOutputs.swift"
breaks = [
    ("endsNothing", "The steps go on when nobody waits.", work, "(wasRenewing ? [] : [.end])", "(wasRenewing || IS_ON ? [] : [.end])"),
    ("abandonsAll", "The first caller who leaves ends the work.", work,
     "answer + (waiting.isEmpty ?", "answer + (waiting.isEmpty || IS_ON ?"),
    ("keepsOthers", "The others wait on when an answer is private.", work, ".dropFirst().flatMap { answer($0, .apart)",
     ".dropFirst(IS_ON ? 9 : 1).flatMap { answer($0, .apart)"),
    ("answersNobody", "The end of the steps answers nobody.", work, "caller.expiry <= $0 }) ?? true", "caller.expiry <= $0 }) ?? !IS_ON"),
    ("forgetsBest", "A second attempt forgets the first.", work, "best = progress.keeping(best)",
     "best = IS_ON ? nil : progress.keeping(best)"),
    ("joinsOver", "A caller joins work that is over.", work, "case .over, .workingApart: return nil",
     "case .over where !IS_ON, .workingApart: return nil"),
    ("answersTwice", "An answered caller is answered again.", work, "let caller = waiting.removeValue(forKey: id)",
     "let caller = IS_ON ? waiting[id] : waiting.removeValue(forKey: id)"),
    ("losesFile", "A file that is gone leaves its callers waiting.", work,
     "        return begin(unless: nil)\n", "        return IS_ON ? [] : begin(unless: nil)\n"),
    ("ignoresExpiry", "A caller's deadline passes without an answer.", work, "{ leave(id, because: Self.expired) }",
     "{ IS_ON ? [] : leave(id, because: Self.expired) }"),
    ("keepsNothing", "The work says that it keeps what it dropped.", work, "[kept == nil ? .drop : .keep]\n    }\n\n    /// Nothing",
     "[kept == nil && !IS_ON ? .drop : .keep]\n    }\n\n    /// Nothing"),
    ("delivers", "What was taken back is delivered.", outputs, "holders[id]?.isTakenBack = true", "holders[id]?.isTakenBack = !IS_ON"),
    ("deliversTwice", "A caller gets its file again when its time is up.", outputs,
     "guard let holder = holders.removeValue(forKey: id) else { continue }",
     "guard let holder = IS_ON ? holders[id] : holders.removeValue(forKey: id) else { continue }"),
    ("prunesHeld", "An output is dropped before its caller has it stored.", outputs, ".union(holders.values.map(\\.output))",
     ".union(IS_ON ? [] : holders.values.map(\\.output))"),
    ("storesForever", "A caller waits for the store after its deadline.", outputs, "{ end(id, .failure(Self.late)) }",
     "{ IS_ON ? [] : end(id, .failure(Self.late)) }"),
]

switch = """import Glibc

enum Break {
    private static let chosen = unsafe getenv("BREAK").map { unsafe String(cString: $0) }

    static func isOn(_ name: String) -> Bool { chosen == name }
}
"""


def write(folder):
    attachments = pathlib.Path(folder, "Sources/Pipeline/Processing/Attachments")
    for name, _, path, text, broken in breaks:
        source = (attachments / path).read_text()
        if source.count(text) != 1:
            sys.exit(f"error: {path} has this text {source.count(text)} times, not once: {text}")
        (attachments / path).write_text(source.replace(text, broken.replace("IS_ON", f'Break.isOn("{name}")')))
    (attachments / "Break.swift").write_text(switch)


def run(program, name):
    """Whether the tests pass with that break, and the seconds that they took."""
    start = time.monotonic()
    tests = subprocess.run([program, "--testing-library", "swift-testing"], env={**os.environ, "BREAK": name},
                           capture_output=True, timeout=60, check=False)
    return tests.returncode == 0, time.monotonic() - start


def try_all(program):
    if not run(program, "")[0]:
        sys.exit("error: the tests fail without a break")
    print("| break | found after |\n|---|---|")
    missed = 0
    for name, meaning, *_ in breaks:
        passed, seconds = run(program, name)
        missed += passed
        print(f"| {meaning} | {'never' if passed else f'{seconds:.2f} s'} |", flush=True)
    sys.exit(1 if missed else 0)


write(sys.argv[2]) if sys.argv[1] == "write" else try_all(sys.argv[2])
