"""Turns the iris measurements into features, as a Stoker job.

The same program as ExtractFeatures.java, with the standard library alone: the same parameters
(STOKER_PARAMS: data, variant, standardise), and the same result (STOKER_RESULT).
"""
import csv
import json
import math
import os
import sys

VARIANTS = {
    "sepals": ["sepal_length", "sepal_width"],
    "petals": ["petal_length", "petal_width"],
    "all": ["sepal_length", "sepal_width", "petal_length", "petal_width"],
    "ratios": ["sepal_ratio", "petal_ratio"],
}


def fail(message):
    sys.exit(f"extract_features: {message}")


def value(flower, feature):
    """One feature of a flower: a measurement in cm, or the ratio of length to width."""
    if feature.endswith("_ratio"):
        part = feature.removesuffix("_ratio")
        return float(flower[part + "_length"]) / float(flower[part + "_width"])
    return float(flower[feature])


def standardised(column):
    """The column moved to mean 0 and (population) standard deviation 1."""
    mean = sum(column) / len(column)
    squares = 0.0
    for cell in column:
        squares += (cell - mean) * (cell - mean)
    deviation = math.sqrt(squares / len(column))
    return [(cell - mean) / deviation for cell in column]


def main():
    if "STOKER_PARAMS" not in os.environ:
        fail("STOKER_PARAMS is not set: it names the JSON file of this job's parameters")
    with open(os.environ["STOKER_PARAMS"], encoding="utf-8") as file:
        params = json.load(file)
    features = VARIANTS.get(params.get("variant"))
    if features is None:
        fail(f"variant is {params.get('variant')}, expected petals, sepals, ratios or all")
    with open(params["data"], encoding="utf-8", newline="") as file:
        flowers = list(csv.DictReader(file))
    columns = []
    for feature in features:
        column = [value(flower, feature) for flower in flowers]
        columns.append(standardised(column) if params.get("standardise") else column)
        print("#stoker:progress", len(columns) / len(features), flush=True)
    rows = [[math.floor(cell * 1e4 + 0.5) / 1e4 for cell in row] for row in zip(*columns)]
    species = [flower["species"] for flower in flowers]
    result = json.dumps({"features": features, "rows": rows, "species": species})
    if "STOKER_RESULT" in os.environ:
        with open(os.environ["STOKER_RESULT"], "w", encoding="utf-8") as file:
            file.write(result)
    else:
        print("#stoker:result", result)


if __name__ == "__main__":
    main()
