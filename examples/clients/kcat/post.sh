#!/bin/sh
# Posts one request: post.sh ID COMMAND [ARGUMENT...]
set -eu
if [ $# -lt 2 ]; then
  echo "usage: post.sh ID COMMAND [ARGUMENT...]" >&2
  exit 2
fi
: "${STOKER_BOOTSTRAP:?names the broker, such as localhost:9092}"

# Escapes what JSON strings may not hold; a record is one line, so newlines become \n.
quoted() {
  printf '%s' "$1" | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/	/\\t/g' |
    awk 'NR > 1 { printf "%s", "\\n" } { printf "%s", $0 }'
}

id=$1
shift
words=
for word in "$@"; do
  words="${words:+$words, }\"$(quoted "$word")\""
done
request="{\"id\": \"$(quoted "$id")\", \"command\": [$words]}"
printf '%s\n' "$request" | kcat -P -b "$STOKER_BOOTSTRAP" -t stoker.requests -k "$id" -X acks=all
echo "$id"
