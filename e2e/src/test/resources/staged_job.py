"""Writes down each call, and does at each stage what its parameters say."""
import json, os, sys, time
sys.path.insert(0, sys.argv[1])
import stoker_job

class Job:
    def note(self, word):
        with open(stoker_job.params()["log"], "a") as log:
            log.write("%s %d\n" % (word, os.getpid()))

    def count(self, word):
        with open(stoker_job.params()["log"]) as log:
            return sum(line.startswith(word + " ") for line in log)

    def stay(self, stage):
        if stoker_job.params().get("stay") == stage and os.environ["STOKER_ATTEMPT"] == "1":
            time.sleep(600)

    def load(self):
        self.note("load")
        self.loaded = os.getpid()
        self.stay("load")
        if self.count("load") <= stoker_job.params().get("loadOoms", 0):
            raise MemoryError("no room to load")

    def train(self, device):
        self.note("train")
        self.stay("train")
        if self.count("train") <= stoker_job.params().get("trainOoms", 0):
            raise stoker_job.OutOfMemory("CUDA out of memory")
        gate = stoker_job.params().get("gate")
        while gate and not os.path.exists(gate):
            time.sleep(0.05)
        if stoker_job.params().get("broken"):
            raise ValueError("no such layer")
        return {"device": device, "loaded": self.loaded, "sees": os.environ["CUDA_VISIBLE_DEVICES"]}

stoker_job.run(Job())
