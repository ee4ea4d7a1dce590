"""Posts one request: post.py ID COMMAND [ARGUMENT...]"""
import json
import os
import sys


def main(arguments):
    if len(arguments) < 2:
        sys.exit("usage: post.py ID COMMAND [ARGUMENT...]")
    if "STOKER_BOOTSTRAP" not in os.environ:
        sys.exit("post.py: set STOKER_BOOTSTRAP to the broker, such as localhost:9092")
    from kafka import KafkaProducer  # pip install kafka-python

    request = {"id": arguments[0], "command": arguments[1:]}
    producer = KafkaProducer(
        bootstrap_servers=os.environ["STOKER_BOOTSTRAP"],
        acks="all",
        key_serializer=str.encode,
        value_serializer=lambda value: json.dumps(value).encode(),
    )
    # Sending again after an error is safe: the same id is the same request.
    sent = producer.send("stoker.requests", key=request["id"], value=request)
    producer.flush()
    sent.get(timeout=30)
    print(request["id"])


if __name__ == "__main__":
    main(sys.argv[1:])
