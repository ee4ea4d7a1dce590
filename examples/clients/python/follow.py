"""Prints the statuses of requests until all have ended: follow.py ID...

Exit code 0: all SUCCEEDED, 1: any other end.
"""
import json
import os
import sys

ENDS = {"SUCCEEDED", "FAILED", "CANCELLED", "REJECTED"}


def changes(values, ids):
    """The statuses of these ids that are news, until all have ended.

    values: the topic's record values, None for a tombstone.
    """
    versions = {}
    left = set(ids)
    for value in values:
        status = json.loads(value) if value is not None else None
        if status is None or status["id"] not in left:
            continue
        if status["version"] <= versions.get(status["id"], -1):
            continue  # a record may come twice
        versions[status["id"]] = status["version"]
        yield status
        if status["state"] in ENDS:
            left.discard(status["id"])
            if not left:
                return


def main(ids):
    if not ids:
        sys.exit("usage: follow.py ID...")
    if "STOKER_BOOTSTRAP" not in os.environ:
        sys.exit("follow.py: set STOKER_BOOTSTRAP to the broker, such as localhost:9092")
    from kafka import KafkaConsumer  # pip install kafka-python

    # From the beginning: the topic is compacted, so a request that ended long ago is still there.
    consumer = KafkaConsumer(
        "stoker.status",
        bootstrap_servers=os.environ["STOKER_BOOTSTRAP"],
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        group_id=None,
    )
    succeeded = True
    for status in changes((record.value for record in consumer), ids):
        print(status["id"], status["state"], status.get("reason") or "", flush=True)
        if status["state"] in ENDS and status["state"] != "SUCCEEDED":
            succeeded = False
    sys.exit(0 if succeeded else 1)


if __name__ == "__main__":
    main(sys.argv[1:])
