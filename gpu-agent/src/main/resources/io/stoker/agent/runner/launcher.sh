# Starts jobs. One of these lives beside the agent; it forks a wrapper for each name of a run folder
# that it reads, so a start costs two forks and one exec beside the job's own, and no Java.
#   $1  data folder, absolute
# Replies on stdout, one line each:
#   s <run> <pid> <start ticks>   the process exists; start ticks 0 if it is gone already
#   x <run> <exit code>           it has ended: 128 + signal if killed
#   r <run> <why>                 it was not started, and will not be
#   c <run>                       another wrapper has this run already
# What a wrapper does also stands in the run's file "state", for an agent that comes later: line 1
# "<pid> <start ticks>" (or "refused <why>"), line 2 the exit code. A line counts with its newline.
# Jobs start with SIGINT and SIGQUIT ignored: a shell does that to what it runs beside itself.

data=$1

# True while CLOCK_BOOTTIME has not passed the deadline, both in hundredths of a second.
leased() {
  read -r limit <"$data/deadline" || return 1
  read -r up _ </proc/uptime || return 1
  [ "${up%.*}${up#*.}" -lt "$limit" ]
} 2>/dev/null

# True if the watchdog lives and is not stopped.
watched() {
  read -r wpid wticks <"$data/watchdog" || return 1
  read -r stat <"/proc/$wpid/stat" || return 1
  set -- ${stat##*) }
  [ "${20}" = "$wticks" ] && [ "$1" != T ] && [ "$1" != t ] && [ "$1" != Z ]
} 2>/dev/null

refuse() {
  echo "refused $1" >&3
  echo "r $run $1"
  exit 0
}

wrap() {
  run=$1
  cd "$data/runs/$run" 2>/dev/null || { echo "r $run its run folder is gone"; exit 0; }
  # The file is created by one alone: a launch that is asked for twice happens once.
  set -C
  { : >state; } 2>/dev/null || { echo "c $run"; exit 0; }
  set +C
  exec 3>>state
  watched || refuse "the watchdog is not running"
  leased || refuse "the lease of this host has run out"
  ( . ./start ) </dev/null >stdout 2>stderr 3>&- &
  pid=$!
  # From here on a reader that went away must not keep the exit code from the file.
  trap '' PIPE
  ticks=0
  if { read -r stat <"/proc/$pid/stat"; } 2>/dev/null; then
    set -- ${stat##*) }
    ticks=${20}
  fi
  echo "$pid $ticks" >&3
  echo "s $run $pid $ticks"
  wait "$pid"
  code=$?
  echo "$code" >&3
  echo "x $run $code"
}

while IFS= read -r name; do
  wrap "$name" &
done
wait
