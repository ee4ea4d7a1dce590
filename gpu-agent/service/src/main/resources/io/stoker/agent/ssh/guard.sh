# Ends a job that nobody has asked after for $limit seconds; its wrapper ends this one when the job is
# over. A shell ends where it cannot start a process, which a node may not have to spare: then this one
# begins anew, as the same process, and ends the job's session by itself.
#   $2  "anew" if it has begun anew, "told" if the job was told to end before that
cd "$1" || exit 1
. ./settings
. ./common.sh

told=${2#anew}
trap 'exec sh ./guard.sh "$PWD" "${told:-anew}" 2>/dev/null' EXIT
trap 'trap - EXIT; [ -z "$nap" ] || kill "$nap" 2>/dev/null; exit' TERM
nap=

# Tells the job's session to end, once, and ends it from the end of its time on.
end_session() {
  read -r since <abandoned
  alive "$job" "$job_ticks" || return 0
  if [ $(((up - ${since:-0}) * 1000)) -gt "$grace" ]; then
    kill -KILL "-$job"
  elif [ -z "$told" ]; then
    told=told
    kill -TERM "-$job"
  fi
} 2>/dev/null

uptime_s
seen=$up
while :; do
  uptime_s
  read -r visit <visited && [ -n "$visit" ] && seen=$visit
  if [ $((up - seen)) -gt "$limit" ]; then
    [ -f abandoned ] || echo "$up" >abandoned
    first_process
    [ -z "$2" ] || end_session
    end_all "$grace"
    trap - EXIT
    exit
  fi
  sleep 1 &
  nap=$!
  wait "$nap"
  nap= # its number may be another's from now on
done
