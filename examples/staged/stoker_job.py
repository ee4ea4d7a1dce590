"""Staged jobs for Stoker: a class with load() and train(device), nothing but the standard library.

    import stoker_job

    class Job:
        def load(self):               # host memory; called again in a new process if it runs out
            self.data = ...

        def train(self, device):      # "cuda:0", or "cpu"; called again in this process
            ...
            stoker_job.progress(0.5, "epoch 5 of 10")
            return {"accuracy": 0.93} # the result, any JSON; None for none

    if __name__ == "__main__":
        stoker_job.run(Job())

Out of memory is a MemoryError, what CUDA frameworks raise when a GPU is full, or
stoker_job.OutOfMemory. Every other exception fails the job, with its stage and message.
Without Stoker the class just loads and trains: on "cuda:0" if CUDA_VISIBLE_DEVICES names a
device, else on "cpu".

The protocol is docs/staged.md, version 1.
"""

import gc
import json
import os
import sys
import threading
import traceback

VERSION = 1
_out = threading.Lock()


class OutOfMemory(Exception):
    """Raise it in load() or train() to be called again when there is more memory."""


def progress(done, message=None):
    """How far it is, 0 to 1."""
    _say("progress", done if message is None else {"done": done, "total": 1, "message": message})


def result(value):
    """An intermediate result, any JSON; the last one counts."""
    _say("result", value)


def params():
    """The request's params."""
    return _read("STOKER_PARAMS", {})


def dependencies():
    """Ids and results of what the request depends on, in order."""
    return _read("STOKER_DEPENDENCIES", [])


def run(job):
    """Serves load and train as Stoker asks for them, and ends when training is done."""
    version = os.environ.get("STOKER_STAGES")
    if version is None:
        _alone(job)
        return
    seen = 0
    for line in sys.stdin:
        command = json.loads(line)
        if command["n"] <= seen:
            continue  # asked for again after a restart of the agent
        seen = command["n"]
        if _obey(job, command):
            return


def _obey(job, command):
    """Whether that was all."""
    train = command["do"] == "train"
    try:
        value = job.train(command["device"]) if train else job.load()
    except BaseException as e:
        if is_out_of_memory(e):
            message = _text(e)
            _forget(e)
            _answer(command, "oom", message)
            return False
        traceback.print_exc()
        _answer(command, "exception", _text(e))
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(1)
    if train and value is not None:
        result(value)
    _answer(command, "done", None)
    return train


def is_out_of_memory(e):
    """Whether memory ran out, of the host or of a GPU."""
    if isinstance(e, (MemoryError, OutOfMemory)):
        return True
    name = type(e).__name__
    return name in ("OutOfMemoryError", "CUDAOutOfMemoryError") or (
        isinstance(e, RuntimeError)
        and any(words in str(e) for words in ("out of memory", "RESOURCE_EXHAUSTED"))
    )


def _forget(e):
    """What the failed call held must go before somebody else is given the device."""
    traceback.clear_frames(e.__traceback__)
    e.__traceback__ = None
    gc.collect()
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()


def _alone(job):
    job.load()
    device = "cuda:0" if os.environ.get("CUDA_VISIBLE_DEVICES") else "cpu"
    value = job.train(device)
    if value is not None:
        result(value)


def _text(e):
    return "%s: %s" % (type(e).__name__, e)


def _answer(command, what, message):
    answer = {"v": VERSION, "n": command["n"], "is": what}
    if message:
        answer["message"] = message
    _say("stage", answer)


def _say(what, value):
    with _out:
        sys.stdout.write("#stoker:%s %s\n" % (what, json.dumps(value)))
        sys.stdout.flush()


def _read(name, otherwise):
    path = os.environ.get(name)
    if not path:
        return otherwise
    with open(path, encoding="utf-8") as file:
        return json.load(file)
