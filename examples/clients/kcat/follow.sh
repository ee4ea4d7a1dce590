#!/bin/sh
# Prints the statuses of requests until all have ended: follow.sh ID...
# Exit code 0: all SUCCEEDED, 1: any other end.
set -eu
if [ $# -eq 0 ]; then
  echo "usage: follow.sh ID..." >&2
  exit 2
fi
: "${STOKER_BOOTSTRAP:?names the broker, such as localhost:9092}"

# kcat would notice that nobody reads any more only at its next record, so it is ended by its pid.
work=$(mktemp -d)
mkfifo "$work/statuses"
# From the beginning: the topic is compacted, so a request that ended long ago is still there.
# One line a record: key, tab, value (-Z shows the null value of a tombstone as NULL).
kcat -C -q -u -Z -b "$STOKER_BOOTSTRAP" -t stoker.status -o beginning -f '%k\t%s\n' \
  >"$work/statuses" &
reader=$!
trap 'kill "$reader" 2>/dev/null || true; rm -r "$work"' EXIT
trap 'exit 130' INT TERM

left=" $* "
code=0
tab=$(printf '\t')
while [ -n "${left# }" ] && IFS=$tab read -r id value; do
  case $left in *" $id "*) ;; *) continue ;; esac
  [ "$value" != NULL ] || continue
  rest=${value#*\"version\":}
  version=${rest%%[,\}]*}
  if [ -f "$work/version.$id" ] && [ "$version" -le "$(cat "$work/version.$id")" ]; then
    continue # a record may come twice
  fi
  echo "$version" >"$work/version.$id"
  rest=${value#*\"state\":\"}
  state=${rest%%\"*}
  reason=
  case $value in *'"reason":"'*) rest=${value#*\"reason\":\"} reason=${rest%%\"*} ;; esac
  echo "$id $state $reason"
  case $state in
    SUCCEEDED) ;;
    FAILED | CANCELLED | REJECTED) code=1 ;;
    *) continue ;;
  esac
  left=${left%%" $id "*}" "${left#*" $id "}
done <"$work/statuses"
if [ -n "${left# }" ]; then
  echo "follow.sh: kcat ended before:$left" >&2
  exit 3
fi
exit $code
