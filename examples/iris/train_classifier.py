"""Classifies the irises and says how well, as a Stoker job.

The same program as TrainClassifier.java, with the standard library alone: the same parameters
(STOKER_PARAMS: method, k, folds, repeats), the same input (STOKER_DEPENDENCIES), the same result.
"""
import json
import math
import os
import sys


def fail(message):
    sys.exit(f"train_classifier: {message}")


def read(variable):
    if variable not in os.environ:
        fail(f"{variable} is not set: it names a JSON file of this job's input")
    with open(os.environ[variable], encoding="utf-8") as file:
        return json.load(file)


def shuffles(size):
    """Orders of 0 to size - 1, one after the other, the same as the Java version's."""
    seed = 1936  # the year of Fisher's paper
    while True:
        order = list(range(size))
        for i in range(size - 1, 0, -1):
            seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
            other = (seed >> 8) % (i + 1)
            order[i], order[other] = order[other], order[i]
        yield order


def distance(a, b):
    total = 0.0
    for x, y in zip(a, b):
        total += (x - y) * (x - y)
    return total


def nearest_neighbours(row, rows, species, training, k):
    """The commonest species among the k nearest; of equally common ones the nearest."""
    nearest = sorted((distance(row, rows[i]), i) for i in training)[:k]
    votes = {}
    for _, i in nearest:
        votes[species[i]] = votes.get(species[i], 0) + 1
    return max(votes, key=votes.get)


def nearest_centroid(row, rows, species, training):
    """The species whose mean is nearest."""
    sums, counts = {}, {}
    for i in sorted(training):
        sums[species[i]] = [x + y for x, y in zip(sums.get(species[i], [0.0] * len(row)), rows[i])]
        counts[species[i]] = counts.get(species[i], 0) + 1
    nearness = {
        name: -distance(row, [total / counts[name] for total in totals])
        for name, totals in sums.items()
    }
    return max(nearness, key=nearness.get)


def classifier(params):
    if params.get("method") == "knn":
        k = params.get("k", 5)
        return lambda row, rows, species, training: nearest_neighbours(
            row, rows, species, training, k
        )
    if params.get("method") == "centroid":
        return nearest_centroid
    return fail(f"method is {params.get('method')}, expected knn or centroid")


def cross_validate(classify, rows, species, order, folds):
    """The share of flowers named rightly when each fold in turn is classified by the others."""
    right = 0
    for fold in range(folds):
        training = [row for i, row in enumerate(order) if i % folds != fold]
        for row in order[fold::folds]:
            right += classify(rows[row], rows, species, training) == species[row]
    return right / len(order)


def rounded(value):
    return math.floor(value * 1e4 + 0.5) / 1e4


def main():
    params, dependencies = read("STOKER_PARAMS"), read("STOKER_DEPENDENCIES")
    if not dependencies:
        fail("dependsOn is empty: a classifier needs the features of another job")
    results = [dependency["result"] for dependency in dependencies]
    rows = [sum(parts, []) for parts in zip(*(result["rows"] for result in results))]
    species = results[-1]["species"]
    classify = classifier(params)
    folds, repeats = params.get("folds", 5), params.get("repeats", 20)
    total, worst = 0.0, 1.0
    for repeat, order in zip(range(1, repeats + 1), shuffles(len(rows))):
        accuracy = cross_validate(classify, rows, species, order, folds)
        total += accuracy
        worst = min(worst, accuracy)
        # Ten lines however many repeats: each costs a reader of the status topic something.
        if repeat * 10 // repeats != (repeat - 1) * 10 // repeats:
            print("#stoker:progress", rounded(repeat / repeats))
            result = [rounded(total / repeat), rounded(worst)]
            print("#stoker:result", json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
