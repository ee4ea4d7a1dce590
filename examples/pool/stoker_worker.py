"""Workers for Stoker's pools: a class with work(params), nothing but the standard library.

    import stoker_worker

    class Worker:
        def start(self):             # once, before the first job: load what all jobs need
            self.model = ...

        def work(self, params):      # for each job, with its request's params
            return {"label": ...}    # the result, any JSON; None for none

    if __name__ == "__main__":
        stoker_worker.run(Worker())

An exception fails the job that raised it, with its type and message, and the worker goes on.
MemoryError, stoker_worker.OutOfMemory and what CUDA frameworks raise when a GPU is full are told
apart. What the worker prints goes to its log. Without Stoker the class reads params from stdin,
one JSON object a line, and prints the results.

The protocol is docs/pools.md, version 1.
"""

import collections
import json
import os
import random
import select
import sys
import threading
import traceback

VERSION = 1
AHEAD = 8  # jobs that may be told before their turn
_out = sys.stdout
_lock = threading.Lock()
_now = {"n": 0}


class OutOfMemory(Exception):
    """Raise it in work() to say that memory ran out."""


def progress(done, message=None):
    """How far the job at hand is, 0 to 1."""
    value = done if message is None else {"done": done, "total": 1, "message": message}
    _say({"v": VERSION, "n": _now["n"], "is": "progress", "value": value})


def seed():
    """A number that no other worker of the pool has, nor had before."""
    return int(os.environ.get("STOKER_SEED", "0"))


def dependencies():
    """Ids and results of what the job at hand depends on, in order."""
    return _now.get("dependencies", [])


def run(worker):
    """Serves jobs until it is told to stop."""
    if "STOKER_WORKERS" not in os.environ:
        _alone(worker)
        return
    sys.stdout = sys.stderr  # stdout is the protocol's
    random.seed(seed())
    if hasattr(worker, "start"):
        worker.start()
    _say({"v": VERSION, "is": "ready", "ahead": AHEAD})
    lines = _Lines()
    told = lines.next(wait=True)
    begun = False
    while told != "stop":
        if not begun:
            _say({"v": VERSION, "n": told["n"], "is": "started"})
        line = _job(worker, told)
        following = lines.next(wait=False)
        begun = following not in (None, "stop")
        if begun:  # with the answer, which saves a line
            line = '%s, "started": %d}\n' % (line[:-2], following["n"])
        _write(line)
        told = following or lines.next(wait=True)


class _Lines:
    """What it is told, read before it is needed: so a job may be taken back before its turn."""

    def __init__(self):
        self._told = collections.deque()
        self._rest = b""
        self._over = False

    def next(self, wait):
        """The next job, or "stop"; None if there is none yet and it is not to wait."""
        while not self._over and (_readable() or (wait and not self._told)):
            self._read()
        return self._told.popleft() if self._told else None

    def _read(self):
        more = os.read(0, 65536)
        if not more:
            self._stop()
            return
        *whole, self._rest = (self._rest + more).split(b"\n")
        for line in whole:
            self._take(json.loads(line))

    def _take(self, told):
        if told["do"] == "job":
            self._told.append(told)
        elif told["do"] == "stop":
            self._stop()
        elif told["do"] == "withdraw":
            for one in self._told:
                if one != "stop" and one["n"] == told["n"]:
                    self._told.remove(one)
                    _say({"v": VERSION, "n": told["n"], "is": "withdrawn"})
                    return

    def _stop(self):
        self._over = True
        self._told.append("stop")


def _readable():
    return bool(select.select([0], [], [], 0)[0])


def _job(worker, told):
    _now.clear()
    _now.update(n=told["n"], dependencies=told.get("dependencies", []))
    answer = {"v": VERSION, "n": told["n"]}
    try:
        value = worker.work(told["params"])
        answer["is"] = "done"
        if value is not None:
            answer["result"] = value
        line = _line(answer)
    except Exception as e:
        if not isinstance(e, (MemoryError, OutOfMemory)):
            traceback.print_exc()
        kind = "oom" if is_out_of_memory(e) else "error"
        message = "%s: %s" % (type(e).__name__, e)
        line = _line({"v": VERSION, "n": told["n"], "is": kind, "message": message})
    return line


def is_out_of_memory(e):
    """Whether memory ran out, of the host or of a GPU."""
    if isinstance(e, (MemoryError, OutOfMemory)):
        return True
    name = type(e).__name__
    return name in ("OutOfMemoryError", "CUDAOutOfMemoryError") or (
        isinstance(e, RuntimeError)
        and any(words in str(e) for words in ("out of memory", "RESOURCE_EXHAUSTED"))
    )


def _alone(worker):
    if hasattr(worker, "start"):
        worker.start()
    for line in sys.stdin:
        print(json.dumps(worker.work(json.loads(line))))


def _say(value):
    _write(_line(value))


def _line(value):
    return "#stoker:worker %s\n" % json.dumps(value, allow_nan=False)


def _write(line):
    with _lock:
        _out.write(line)
        _out.flush()
