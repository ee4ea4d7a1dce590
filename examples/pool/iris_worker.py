"""A warm inference pool: tells irises apart by their nearest neighbours.

The model, here Fisher's measurements themselves, is loaded once a worker, not once a job.
Params: {"flower": [sepal length, sepal width, petal length, petal width]} in cm.
"""
import csv
import os
from collections import Counter

import stoker_worker

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "iris", "iris.csv")
NEIGHBOURS = 5


class Iris:
    def start(self):
        with open(DATA, encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))[1:]
        self.known = [([float(x) for x in row[:4]], row[4]) for row in rows]

    def work(self, params):
        flower = params.get("flower")
        if not isinstance(flower, list) or len(flower) != 4:
            raise ValueError("params.flower: expected four lengths in cm")
        nearest = sorted(
            self.known, key=lambda one: sum((a - b) ** 2 for a, b in zip(flower, one[0]))
        )[:NEIGHBOURS]
        species, votes = Counter(name for _, name in nearest).most_common(1)[0]
        return {"species": species, "votes": votes}


if __name__ == "__main__":
    stoker_worker.run(Iris())
