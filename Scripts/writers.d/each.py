"""A child process for each write: some writers crash, or don't end."""

import os
import pickle
import signal

SECONDS = 60


def in_child(function, *arguments):
    """What the function returns, which can be pickled, and the signal that ended it, or 0. It may take a minute."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        signal.alarm(SECONDS)
        status = 1
        try:
            with os.fdopen(writing, "wb") as pipe:
                pickle.dump(function(*arguments), pipe)
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return None, os.WTERMSIG(status)
    if status:
        raise RuntimeError("a writer failed in a way that nobody expected")
    return pickle.loads(answer), 0
