# Kills every job of this host when its lease has run out, whatever the agent does: it fires while
# the agent is stopped or dead. Jobs do not start unless it lives.
#   $1  data folder, absolute
#   $2  what the markers of this agent's runs begin with
#   $3  pid of the agent     $4  its start ticks
#   $5  longest time between two looks, in hundredths of a second
#   $6  what the numbers begin with that this agent's runs have as their limit of file locks
#   $7  how often it has begun anew without a pause, if it has
# While the agent is dead it writes the exit codes of jobs that have ended and whose spawner is dead
# too, so that the next agent finds them: a keeper has such jobs, and nobody asks the kernel for them.
# Says "ready" once it is in charge, which its file "watchdog" shows: "<pid> <start ticks>". Another
# one that takes over replaces the file, and this one goes. It goes too when the agent is gone and
# no job is left, nor a spawner that may start one yet. Without its folder there is no right to run
# anything, and nobody else would look after the jobs: it kills them and stays for what is left. Clock:
# CLOCK_BOOTTIME, from /proc/uptime, in hundredths of a second.

data=$1
owner=$2
agent=$3
agent_ticks=$4
longest=$5
tag=$6
restarts=${7:-0}
MOST_RESTARTS=20000 # about a minute

# Sets "ticks", "letter", "threads" and "status" of a pid, or fails. The status is its exit code as
# wait(2) packs it, if it is a zombie and this process may know.
look() {
  read -r stat <"/proc/$1/stat" || return 1
  set -- ${stat##*) }
  letter=$1
  threads=${18}
  ticks=${20}
  status=${50}
} 2>/dev/null

# True also where nobody is in charge any more: the file is replaced, never missing, unless somebody
# has deleted the folder.
in_charge() {
  [ -e "$data/watchdog" ] || return 0
  read -r pid _ <"$data/watchdog" && [ "$pid" = "$$" ]
} 2>/dev/null

agent_lives() {
  look "$agent" && [ "$ticks" = "$agent_ticks" ] && [ "$letter" != Z ]
}

# Writes the exit codes of zombies to the state files of their runs. Who may not know a status reads 0
# there, but may not read "io" either.
harvest() {
  for state in "$data"/runs/*/state; do
    { read -r pid began && ! read -r code; } <"$state" || continue
    [ "$pid" != refused ] && look "$pid" && [ "$ticks" = "$began" ] && [ "$letter" = Z ] &&
      [ "$threads" -le 1 ] && read -r _ <"/proc/$pid/io" || continue
    code=$((status >> 8 & 255))
    [ $((status & 127)) -eq 0 ] || code=$((128 + (status & 127)))
    echo "$code" >>"$state"
  done 2>/dev/null
}

# No job is left: keeps what is known of those that were, and ends who kept them. An agent has its
# watchdog in charge before it has a keeper: if this one is in charge still once it knows them, they
# are all of the time before.
finish() {
  harvest
  set --
  for keeper in "$data"/keepers/*; do
    { read -r pid began <"$keeper"; } 2>/dev/null && set -- "$@" "$pid" "$began"
  done
  in_charge || return 0
  while [ $# -gt 1 ]; do
    look "$1" && [ "$ticks" = "$2" ] && kill -KILL "$1" 2>/dev/null
    rm -f "$data/keepers/$1"
    shift 2
  done
}

# Sets "found" to the deadline that a file says, or fails if that is damaged or of another boot. An
# agent of the build before does not write the number a second time.
said() {
  again=
  { read -r found && read -r of && { read -r again || :; }; } <"$data/$1" || return 1
  case $found in
  '' | *[!0-9]* | 0?* | ?????????????????*) return 1 ;;
  esac
  [ "$of" = "$boot" ] && { [ -z "$again" ] || [ "$again" = "$found" ]; }
} 2>/dev/null

# Sets "limit" to when jobs must be gone, in hundredths of a second: 0 if no agent has said, and the
# last that could be read while the file is damaged. It is a link to one of the two others: each of
# these, too, says a time up to which jobs were allowed to run.
deadline() {
  limit=0
  [ -e "$data/deadline" ] || return 0
  if said deadline; then
    good=$found
  else
    for other in deadline.a deadline.b; do
      said "$other" && [ "$found" -gt "$good" ] && good=$found
    done
  fi
  limit=$good
}

# Prints the pids of all processes of this agent's runs. One that has ended keeps its limits until its
# parent asks for its exit code, and a spawner has its job's for a moment. Fails where it cannot look.
marked() {
  grep -ls "STOKER_TREE=$owner/" /proc/[0-9]*/environ | cut -d / -f 3
  grep -lsE "^Max file locks +$tag[0-9]{12} " /proc/[0-9]*/limits | cut -d / -f 3 |
    while read -r pid; do
      look "$pid" && { [ "$letter" != Z ] || [ "$threads" -gt 1 ]; } && kill -0 "$pid" 2>/dev/null &&
        ! grep -qs "STOKER_SPAWNER=" "/proc/$pid/environ" && echo "$pid" || :
    done
}

# Prints the pids of spawners of this agent, and of what becomes one: one may have asked whether this
# watchdog lives, and start its job after that. A keeper, which is named by its pipe, starts nothing.
starters() {
  grep -ls "STOKER_SPAWNER=$owner" /proc/[0-9]*/environ | cut -d / -f 3 |
    while read -r pid; do
      { tr '\0' '\n' <"/proc/$pid/environ" | grep -qxF "STOKER_SPAWNER=$owner"; } 2>/dev/null &&
        ! grep -qs "keeper\.pipe" "/proc/$pid/cmdline" && echo "$pid" || :
    done
}

# What this agent runs beside processes of its own is listed, and ended, by executables in a folder.
hooks() {
  for hook in "$data"/on-expiry/*; do
    [ ! -x "$hook" ] || timeout 10 "$hook" "$1" </dev/null 2>/dev/null || :
  done
}

# Whether certainly nothing is left to be ended, or can begin: who has no process to spare looks, and
# sees nothing.
nothing_left() {
  [ "$(starters && marked && echo whole)" = whole ] && [ "$(hooks list && echo whole)" = whole ]
}

# One round of killing; fails if there was nothing to kill.
kill_all() {
  killed=1
  for state in "$data"/runs/*/state; do
    { read -r pid began && ! read -r code; } <"$state" || continue
    [ "$pid" != refused ] && look "$pid" && [ "$ticks" = "$began" ] && [ "$letter" != Z ] &&
      kill -KILL "-$pid" && killed=0
  done 2>/dev/null
  for pid in $(marked); do
    kill -KILL "$pid" 2>/dev/null && killed=0
  done
  # Control groups of runs, where there are any.
  { read -r groups <"$data/groups"; } 2>/dev/null && for group in "$groups"/*/; do
    grep -qs "populated 1" "$group/cgroup.events" && echo 1 >"$group/cgroup.kill" && killed=0
  done 2>/dev/null
  [ -z "$(hooks list)" ] || { hooks kill >/dev/null; killed=0; }
  return $killed
}

# Waits hundredths of a second, and can be ended meanwhile.
pause() {
  fraction=$(($1 % 100))
  [ "$fraction" -ge 10 ] || fraction=0$fraction
  sleep "$(($1 / 100)).$fraction" &
  sleeper=$!
  wait "$sleeper"
  sleeper= # its number may be another's from now on
}

sleeper=
trap '[ -z "$sleeper" ] || kill "$sleeper" 2>/dev/null; trap - EXIT; finish; exit 0' TERM

look $$ || exit 1
if ! { read -r mine <"$data/watchdog" && [ "$mine" = "$$ $ticks" ]; } 2>/dev/null; then
  echo "$$ $ticks" >"$data/watchdog.new" && mv "$data/watchdog.new" "$data/watchdog" || exit 1
  echo ready
fi
# A shell ends where it cannot start a process that it needs, as on a host whose jobs have taken all
# there may be. It begins anew, as the same process, until it can: what ends jobs at the deadline
# needs none. An agent that lives hears in the end that something else is wrong with it.
begin_anew() {
  agent_lives && [ "$restarts" -ge "$MOST_RESTARTS" ] ||
    exec sh "$0" "$data" "$owner" "$agent" "$agent_ticks" "$longest" "$tag" $((restarts + 1)) 2>/dev/null
}
trap begin_anew EXIT

read -r boot </proc/sys/kernel/random/boot_id
good=0
quiet=0
while in_charge; do
  # The clock first: the deadline may move between the two, and one that has moved counts.
  read -r up _ </proc/uptime
  now=${up%.*}${up#*.}
  deadline
  if [ "$now" -ge "$limit" ]; then
    # A job may have passed the last check just before: look again for a while.
    if kill_all; then quiet=0; else quiet=$((quiet + 1)); fi
    if [ "$quiet" -lt 10 ]; then pause 20; else pause $longest; fi
  else
    quiet=0
    left=$((limit - now + 1))
    [ "$left" -le $longest ] || left=$longest
    pause $left
  fi
  restarts=0
  agent_lives && continue
  harvest
  if nothing_left; then
    trap - EXIT
    finish
    exit 0
  fi
done
trap - EXIT
