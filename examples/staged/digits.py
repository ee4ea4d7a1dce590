"""A staged job: loads numbers into host memory, then trains on the device that it is given."""

import random

import stoker_job


class Digits:
    def load(self):
        generator = random.Random(stoker_job.params().get("seed", 1))
        self.samples = [(x, 3 * x + generator.gauss(0, 0.1)) for x in range(100)]

    def train(self, device):
        slope = 0.0
        for epoch in range(20):
            for x, y in self.samples:
                slope += 1e-5 * x * (y - slope * x)
            stoker_job.progress((epoch + 1) / 20, "epoch %d on %s" % (epoch + 1, device))
        return {"slope": round(slope, 2), "device": device}


if __name__ == "__main__":
    stoker_job.run(Digits())
