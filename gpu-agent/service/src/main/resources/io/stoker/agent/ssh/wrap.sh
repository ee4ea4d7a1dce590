# Runs a job and writes down how it ended. Detached: it outlives the link that started it.
cd "$1" || exit 1
. ./settings
. ./common.sh

# Ends a job that nobody has asked after for so long, if there is a limit.
guard() {
  trap 'kill "$nap" 2>/dev/null; exit' TERM
  while :; do
    sleep 1 &
    nap=$!
    wait "$nap"
    if [ "$(($(uptime_s) - $(cat visited)))" -gt "$limit" ]; then
      : >abandoned
      end_all "$grace"
      exit
    fi
  done
}

setsid sh ./job.sh </dev/null >>stdout 2>>stderr &
job=$!
job_ticks=$(ticks "$job")
echo "$job $job_ticks $$ $(ticks $$) $(cat /proc/sys/kernel/random/boot_id)" >pid.new
mv pid.new pid
if [ "$limit" -gt 0 ]; then
  guard &
  guard=$!
fi
wait "$job"
code=$?
first_process
end_all "$grace"
[ -z "$guard" ] || kill "$guard"
echo "$code" >exit.new
mv exit.new exit
