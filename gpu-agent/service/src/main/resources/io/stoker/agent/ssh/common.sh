# Parts of the scripts that run on a node, in its run's folder. Any POSIX shell on Linux will do.
# Variables: mark, in the environment of every process of the run; tag, the limit of file locks that
# each of them has; job, its first process, and job_ticks, its start time.

# A node may have no process to spare, and its shell goes on all the same: what decides whether a run
# lives is read without one.

# Sets ticks, the start time of a process, which tells it from a later one with its number, and letter,
# its state; both are empty if there is no such process. One that is there and cannot be read ends the
# script: it must not pass for gone.
observe() {
  stat=
  ticks=
  letter=
  [ -d "/proc/$1" ] || return 0
  { while read -r line; do stat="$stat $line"; done <"/proc/$1/stat"; } 2>/dev/null
  observed=$1
  set -- ${stat##*) }
  letter=$1
  ticks=${20}
  [ -n "$ticks" ] || [ ! -d "/proc/$observed" ] ||
    { echo "process $observed cannot be read" >&2; exit 1; }
}

# Whether a process of that start time is there and no zombie.
alive() {
  observe "$1"
  [ -n "$ticks" ] && [ "$ticks" = "$2" ] && [ "$letter" != Z ]
}

# What is left of the run, after a 0, without which the answer is not whole: its first process, which
# may have neither session nor mark as yet, its session's group, and what carries its mark or its tag
# wherever it went. Who has ended keeps the tag until its parent asks for its exit code.
left() {
  {
    ! alive "${job:-0}" "$job_ticks" || echo "$job"
    grep -laF "STOKER_NODE_RUN=$mark" /proc/[0-9]*/environ 2>/dev/null | cut -d / -f 3
    grep -ls "^Max file locks  *${tag:-none} " /proc/[0-9]*/limits 2>/dev/null | cut -d / -f 3 |
      while read -r one; do
        observe "$one"
        [ -z "$ticks" ] || [ "$letter" = Z ] || ! kill -0 "$one" 2>/dev/null || echo "$one"
      done || exit 1
    if [ "${job:-0}" -gt 1 ]; then
      cat /proc/[0-9]*/stat 2>/dev/null |
        sed -n 's/^\([0-9]*\) (.*) [^Z] [0-9]* '"$job"' .*/\1/p'
    fi
    echo 0
  } | sort -nu
}

# Whether the pid file, which it reads, is of this boot.
read_pid() {
  read -r job job_ticks wrapper wrapper_ticks boot <pid
  read -r boot_now </proc/sys/kernel/random/boot_id || exit 1
  [ "$boot" = "$boot_now" ]
}

# Reads the pid file, and gives up the number of a process that is another's by now.
first_process() {
  read_pid && observe "$job" && { [ -z "$ticks" ] || [ "$ticks" = "$job_ticks" ]; } || job=0
}

# Parents are told before their children, the first process before all: a shell that waits for a child
# must not see that one's end, and go on, before it hears that it is to end itself.
signal() {
  targets=$(left)
  targets=${targets#0}
  for one in $targets; do
    [ "$one" != "$job" ] || kill -s "$1" "$one" 2>/dev/null
  done
  for one in $targets; do
    [ "$one" = "$job" ] || kill -s "$1" "$one" 2>/dev/null
  done
}

# Ends all of it: TERM, and KILL after so many ms.
end_all() {
  signal TERM
  end_told "$1"
}

# Ends all of it that was told to end: KILL after so many ms.
end_told() {
  rounds=$(($1 / 200))
  while [ "$(left)" != 0 ]; do
    [ "$rounds" -gt 0 ] || signal KILL
    [ "$rounds" -gt -40 ] || return 1
    rounds=$((rounds - 1))
    sleep 0.2
  done
}

# Takes the run for good: nobody else can after.
claim() {
  printf '%s\n' "$1" >"claim.$$" && ln "claim.$$" claim 2>/dev/null
  claimed=$?
  rm -f "claim.$$"
  return "$claimed"
}

# Sets up, for how many seconds the node has been up.
uptime_s() {
  read -r up _ </proc/uptime
  up=${up%%.*}
}

# Tells how the run is, and what it wrote after the first $o bytes of stdout and $e of stderr.
look() {
  uptime_s
  echo "$up" >visited.new && mv visited.new visited
  value=0
  if [ -s exit ]; then
    state=exited
  elif [ -f pid ]; then
    if read_pid && { alive "$job" "$job_ticks" || alive "$wrapper" "$wrapper_ticks"; }; then
      state=alive
      value=$job
    elif [ -s exit ]; then
      state=exited
    else
      state=gone
    fi
  elif [ -f claim ]; then
    read -r state <claim
  else
    state=unclaimed
  fi
  [ "$state" != exited ] || read -r value <exit
  [ ! -f abandoned ] || [ "$state" != exited ] || state=abandoned
  o_size=$(size stdout)
  e_size=$(size stderr)
  o_more=$(most "$((o_size - o))")
  e_more=$(most "$((e_size - e))")
  u_more=$(size unusable)
  r_more=0
  if [ "$state" = exited ]; then
    r_more=$(size result.json)
    [ "$r_more" -le "$result_limit" ] || r_more=$((result_limit + 1))
  fi
  echo "stoker $state $value $o_size $e_size $o_more $e_more $r_more $u_more"
  part stdout "$o" "$o_more"
  part stderr "$e" "$e_more"
  part result.json 0 "$r_more"
  part unusable 0 "$u_more"
}

size() {
  if [ -f "$1" ]; then wc -c <"$1"; else echo 0; fi
}

most() {
  if [ "$1" -lt 0 ]; then echo 0; elif [ "$1" -gt 1048576 ]; then echo 1048576; else echo "$1"; fi
}

part() {
  [ "$3" -eq 0 ] || tail -c "+$(($2 + 1))" "$1" | head -c "$3"
}
