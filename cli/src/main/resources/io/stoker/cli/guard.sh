# Starts a child of the stack so that it cannot outlive the process that started it, however that
# one dies. Its standard input is a pipe whose other end only the parent holds. A watcher reads it
# until its end, which the kernel brings about when the parent is gone, and then stops the child:
# first by signal $1, and after $2 seconds by SIGKILL. The shell itself becomes the child (exec), so
# that the pid and the exit code that the parent sees are the child's own.
signal=$1 grace=$2
shift 2
exec 3<&0 </dev/null
child=$$
(
  trap '' INT HUP TERM
  # Its start time tells it from a later process with its number, which is free as soon as the
  # parent has its exit code. Without /proc nothing does.
  look() {
    at=
    read -r stat <"/proc/$child/stat" || return 0
    set -- ${stat##*) }
    at=${20}
  }
  look
  began=$at
  there() {
    look
    [ "$at" = "$began" ]
  }
  while read -r _ <&3; do :; done
  there && kill -s "$signal" $child || exit 0
  # A stopped process acts on no signal but SIGKILL; let it go on to its end.
  kill -s CONT $child
  # At the end of this shell, which comes at once where no process can be started to wait by.
  trap 'there && kill -s KILL $child' EXIT
  while [ "$grace" -gt 0 ]; do
    sleep 1
    there && kill -0 $child || {
      trap - EXIT
      exit 0
    }
    grace=$((grace - 1))
  done
) >/dev/null 2>&1 &
exec "$@" 3<&-
